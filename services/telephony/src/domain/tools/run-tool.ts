import type { Call } from '../calls/call.ts';
import { inTraceOf, logFieldsOf } from '../calls/trace-of-call.ts';
import type { Carrier } from '../carrier/port.ts';
import type { PreparedAssistant } from '../conversation/prepare-prompt.ts';
import type { CallTool } from './call-tool.ts';
import { checkArguments } from './check-arguments.ts';
import { type CustomToolDeps, runCustomTool } from './run-custom-tool.ts';
import { type NativeScene, runNativeTool } from './run-native-tool.ts';
import { type KnowledgeSearch, searchKnowledge } from './search-knowledge.ts';
import { failed, succeeded, type ToolOutcome } from './tool-outcome.ts';
import type { CustomInvocation } from './tool-request.ts';

/** A tool that an engine wants used. `id` is its `tool_call_id`; the arguments are whatever the model made up. */
export type ToolInvocation = Omit<CustomInvocation, 'tool' | 'args'> & { tool: CallTool; args: unknown };

/** The call that a tool is run for. */
export type ToolScene = Pick<NativeScene, 'transfer'> & {
  call: Call;
  assistant: PreparedAssistant;
  /** Right before the tool is used. False: the call is not this worker's any more. May reject. */
  begin: () => Promise<boolean>;
};

/** Stands outside the engines: they ask, this runs. Never rejects: a tool's failure is told to the assistant (D4.7). */
export type ToolRunner = (
  scene: ToolScene,
  invocation: ToolInvocation,
  signal: AbortSignal,
) => Promise<ToolOutcome>;

export type ToolRunnerDeps = CustomToolDeps & { carrier: Carrier; knowledge: KnowledgeSearch };

export function createToolRunner(deps: ToolRunnerDeps): ToolRunner {
  return async (scene, invocation, signal) => {
    const { tool_name } = invocation.tool;
    const log = deps.log.child({ ...logFieldsOf(scene.call), toolCallId: invocation.id });
    try {
      const work = () => run({ ...deps, log }, scene, invocation, signal);
      return await inTraceOf(scene.call, `tool ${tool_name}`, work, 'client');
    } catch (err) {
      log.error({ err, tool: tool_name }, 'tool could not be run');
      return failed('The tool could not be run');
    }
  };
}

async function run(
  deps: ToolRunnerDeps,
  scene: ToolScene,
  { tool, args, ...invocation }: ToolInvocation,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const { source, parameters } = tool;
  const { workspaceId } = scene.call;
  if (!isObject(args)) return failed('The arguments are not a JSON object');
  const wrong = checkArguments(parameters, args);
  if (wrong) return failed(wrong);
  // Whoever has taken the call over uses its tools now: a second order, or a second SMS, would be this one's.
  if (!(await scene.begin())) return failed('The call is in the hands of another worker');
  switch (source.kind) {
    case 'custom':
      return runCustomTool(deps, workspaceId, { ...invocation, tool: source.tool, args }, signal);
    case 'native':
      return runNativeTool(deps, nativeScene(scene), { tool: source.tool, args, signal });
    case 'knowledge_base': {
      const { knowledgeBaseIds } = source;
      return searchKnowledge(deps, workspaceId, { knowledgeBaseIds, query: String(args.query) });
    }
    case 'report_voicemail':
      return succeeded({ status: 'reported' });
  }
}

function nativeScene({ call, assistant, transfer }: ToolScene): NativeScene {
  const inbound = call.callType === 'inbound';
  return {
    workspaceId: call.workspaceId,
    ownNumber: inbound ? call.toNumber : call.fromNumber,
    customerNumber: inbound ? call.fromNumber : call.toNumber,
    smsMessage: assistant.smsMessage,
    transfer,
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
