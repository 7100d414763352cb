import { newId } from '@parley/kit/ids';
import { toIsoMillis } from '@parley/kit/time';
import type { SpokenTurn } from '../call-history/plain-transcript.ts';
import type { EngineOutput } from '../conversation/engine-port.ts';
import type { CallTool } from '../tools/call-tool.ts';
import { DEEPEST, isDeeperThan } from '../tools/json-depth.ts';
import type { ToolInvocation } from '../tools/run-tool.ts';
import { failed, type ToolOutcome } from '../tools/tool-outcome.ts';
import type { Call } from './call.ts';
import type { Entry, ToolEntry } from './ports.ts';

export type ToolUse = {
  now: () => Date;
  runTool: (invocation: ToolInvocation, signal: AbortSignal) => Promise<ToolOutcome>;
  /** What became of a tool that was under way when the conversation was over. */
  cutOff: (tool: CallTool) => ToolOutcome;
  /** Something that the assistant did with success, once it is noted: it may end the conversation. */
  onUsed: (tool: CallTool) => 'goes on' | 'ends';
};

type Scene = {
  call: Call;
  tools: readonly CallTool[];
  record: readonly Entry[];
  note: (entry: ToolEntry) => void;
  signal: AbortSignal;
};

/** How an engine uses tools: each is noted once, also one that the end of the conversation cuts off. */
export function createToolUse(
  deps: ToolUse,
  { call, tools, record, note, signal }: Scene,
): EngineOutput['useTool'] {
  const { id: callId, agentId, callType, fromNumber, toNumber, dynamicVariables } = call;
  const facts = { id: callId, agentId, callType, fromNumber, toNumber, dynamicVariables };

  const run = (tool: CallTool, args: unknown): Promise<ToolOutcome> =>
    new Promise((resolve, reject) => {
      const id = newId();
      const noted = (outcome: ToolOutcome): ToolOutcome => {
        note({ ...toEntry(tool, args, outcome), toolCallId: id });
        return outcome;
      };
      const leave = (): void => {
        noted(deps.cutOff(tool));
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      const spoken = spokenTurns(record);
      deps.runTool({ id, at: deps.now(), tool, args, call: facts, spoken }, signal).then((outcome) => {
        signal.removeEventListener('abort', leave);
        // What comes later than the end was noted by then.
        if (!signal.aborted) resolve(noted(outcome));
      }, reject);
    });

  return async (toolName, given) => {
    signal.throwIfAborted();
    // Nobody could write them down; as they are, they fit no tool.
    const args = isDeeperThan(DEEPEST, given) ? null : given;
    const tool = tools.find(({ tool_name }) => tool_name === toolName);
    if (!tool) {
      const outcome = failed(`There is no tool ${toolName}`);
      note({ role: 'tool', toolName, toolType: 'custom', description: null, args, outcome });
      return outcome;
    }
    const outcome = await run(tool, args);
    if (outcome.error === null && deps.onUsed(tool) === 'ends') await over(signal);
    return outcome;
  };
}

/** Never resolves: the conversation is about to be over. */
function over(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function toEntry(
  { tool_name, tool_type, description }: CallTool,
  args: unknown,
  outcome: ToolOutcome,
): ToolEntry {
  return { role: 'tool', toolName: tool_name, toolType: tool_type, description, args, outcome };
}

function spokenTurns(record: readonly Entry[]): SpokenTurn[] {
  return record.flatMap((entry) =>
    entry.role === 'tool'
      ? []
      : [{ role: entry.role, content: entry.content, timestamp: toIsoMillis(entry.at) }],
  );
}
