import { newId } from '@parley/kit/ids';
import { spokenTurns } from '../../calls/plain-transcript.ts';
import type { EngineOutput } from '../../engines/engine.ts';
import { aborted } from '../aborted.ts';
import type { Call } from '../call.ts';
import type { Entry, ToolEntry } from '../ports.ts';
import type { CallTool } from './call-tool.ts';
import { isDeeperThan, MAX_DEPTH } from './json-depth.ts';
import type { ToolInvocation } from './run-tool.ts';
import { failed, type ToolOutcome } from './tool-outcome.ts';

export type ToolUse = {
  now: () => Date;
  runTool: (invocation: ToolInvocation, signal: AbortSignal) => Promise<ToolOutcome>;
  /** The outcome of a tool that was running when the conversation ended. */
  cutOff: (tool: CallTool) => ToolOutcome;
  /** Called after a successful tool was recorded; returns whether it ends the conversation. */
  onUsed: (tool: CallTool) => 'continues' | 'ends';
};

type Conversation = {
  call: Call;
  tools: readonly CallTool[];
  record: readonly Entry[];
  note: (entry: ToolEntry) => void;
  signal: AbortSignal;
};

/** An engine's access to tools. Each use is recorded once, also if the conversation ends first. */
export function createToolUse(
  deps: ToolUse,
  { call, tools, record, note, signal }: Conversation,
): EngineOutput['useTool'] {
  const { id: callId, agentId, callType, fromNumber, toNumber, dynamicVariables, isTest } = call;
  const facts = { id: callId, agentId, callType, fromNumber, toNumber, dynamicVariables, isTest };

  const run = (tool: CallTool, args: unknown): Promise<ToolOutcome> =>
    new Promise((resolve, reject) => {
      const id = newId();
      const recorded = (outcome: ToolOutcome): ToolOutcome => {
        note({ ...toEntry(tool, args, outcome), toolCallId: id });
        return outcome;
      };
      const leave = (): void => {
        recorded(deps.cutOff(tool));
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      const spoken = spokenTurns(record);
      deps.runTool({ id, at: deps.now(), tool, args, call: facts, spoken }, signal).then((outcome) => {
        signal.removeEventListener('abort', leave);
        // After the end, `leave` has recorded the outcome.
        if (!signal.aborted) resolve(recorded(outcome));
      }, reject);
    });

  return async (toolName, given) => {
    signal.throwIfAborted();
    // Values this deep cannot be stored and fit no tool.
    const args = isDeeperThan(MAX_DEPTH, given) ? null : given;
    const tool = tools.find(({ tool_name }) => tool_name === toolName);
    if (!tool) {
      const outcome = failed(`There is no tool ${toolName}`);
      note({ role: 'tool', toolName, toolType: 'custom', description: null, args, outcome });
      return outcome;
    }
    const outcome = await run(tool, args);
    if (outcome.error === null && deps.onUsed(tool) === 'ends') await aborted(signal);
    return outcome;
  };
}

function toEntry(
  { tool_name, tool_type, description }: CallTool,
  args: unknown,
  outcome: ToolOutcome,
): ToolEntry {
  return { role: 'tool', toolName: tool_name, toolType: tool_type, description, args, outcome };
}
