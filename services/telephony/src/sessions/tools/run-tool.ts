import type { OutboundAllowance } from '@parley/kit/outbound';
import type { PreparedAssistant } from '../../assistants/prepare-prompt.ts';
import type { MessageSender } from '../../carriers/carrier.ts';
import type { Call } from '../call.ts';
import { inTraceOf, logFieldsOf } from '../trace-of-call.ts';
import type { CallTool } from './call-tool.ts';
import type { ArgumentCheck } from './check-arguments.ts';
import { type CustomToolDeps, runCustomTool } from './run-custom-tool.ts';
import { type NativeToolContext, runNativeTool } from './run-native-tool.ts';
import { type KnowledgeSearch, searchKnowledge } from './search-knowledge.ts';
import { failed, succeeded, type ToolOutcome } from './tool-outcome.ts';
import type { CustomInvocation } from './tool-request.ts';

/** A tool invocation by an engine. `id` is its `tool_call_id`; the arguments are unchecked model output. */
export type ToolInvocation = Omit<CustomInvocation, 'tool' | 'args'> & { tool: CallTool; args: unknown };

/** The call for which a tool runs. */
type ToolContext = Pick<NativeToolContext, 'transfer'> & {
  call: Call;
  assistant: PreparedAssistant;
  /** Records the start. Returns false if the call no longer belongs to this worker. May reject. */
  begin: () => Promise<boolean>;
};

/** Runs tools for the engines. Never rejects: the assistant gets a failure as the tool's result [tools.20]. */
export type ToolRunner = (
  context: ToolContext,
  invocation: ToolInvocation,
  signal: AbortSignal,
) => Promise<ToolOutcome>;

export type ToolRunnerDeps = CustomToolDeps & {
  carrier: MessageSender;
  /** Private SIP hosts that the operator allows as transfer targets. */
  allowed: OutboundAllowance;
  knowledge: KnowledgeSearch;
  checkArguments: ArgumentCheck;
};

export function createToolRunner(deps: ToolRunnerDeps): ToolRunner {
  return async (context, invocation, signal) => {
    const { tool_name } = invocation.tool;
    const log = deps.log.child({ ...logFieldsOf(context.call), toolCallId: invocation.id });
    try {
      const work = () => run({ ...deps, log }, context, invocation, signal);
      return await inTraceOf(context.call, `tool ${tool_name}`, work, 'client');
    } catch (err) {
      log.error({ err, tool: tool_name }, 'tool failed unexpectedly');
      return failed('The tool could not be run');
    }
  };
}

async function run(
  deps: ToolRunnerDeps,
  context: ToolContext,
  { tool, args, ...invocation }: ToolInvocation,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const { source, parameters } = tool;
  const { workspaceId } = context.call;
  if (!isObject(args)) return failed('The arguments are not a JSON object');
  // If another worker has taken the call over, running the tool here could repeat its effect. The start is recorded before
  // the arguments are checked: if the check kills this worker, the next one finds the tool started.
  if (!(await context.begin())) return failed('The call belongs to another worker');
  const wrong = deps.checkArguments(workspaceId, parameters, args);
  if (wrong) return failed(wrong);
  switch (source.kind) {
    case 'custom':
      return runCustomTool(deps, workspaceId, { ...invocation, tool: source.tool, args }, signal);
    case 'native':
      return runNativeTool(deps, await nativeToolContext(deps, context), { tool: source.tool, args, signal });
    case 'knowledge_base': {
      const { knowledgeBaseIds } = source;
      return searchKnowledge(deps, workspaceId, { knowledgeBaseIds, query: String(args.query) });
    }
    case 'report_voicemail':
      return succeeded({ status: 'reported' });
  }
}

async function nativeToolContext(
  { settings }: Pick<ToolRunnerDeps, 'settings'>,
  { call, assistant, transfer }: ToolContext,
): Promise<NativeToolContext> {
  const limits = await settings.get(call.workspaceId);
  const inbound = call.callType === 'inbound';
  return {
    workspaceId: call.workspaceId,
    ownNumber: inbound ? call.toNumber : call.fromNumber,
    customerNumber: inbound ? call.fromNumber : call.toNumber,
    smsMessage: assistant.smsMessage,
    allowedDestinations: limits?.allowedDestinations ?? [],
    transfer,
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
