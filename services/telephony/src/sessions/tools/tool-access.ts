import type { PreparedAssistant } from '../../assistants/prepare-prompt.ts';
import type { CallUpdate } from '../../carriers/call-update.ts';
import type { ConversationEngine, EngineOutput, EngineTool } from '../../engines/engine.ts';
import type { EventQueue } from '../event-queue.ts';
import type { OwnEndCause } from '../judge-end.ts';
import type { CallWrites, Owner, ToolsUnderWay } from '../ports.ts';
import type { CallRecord } from '../record.ts';
import type { Transfers } from '../transfers.ts';
import { type CallTool, hasOutsideEffect } from './call-tool.ts';
import type { ToolInvocation, ToolRunner } from './run-tool.ts';
import { failed, succeeded, type ToolOutcome } from './tool-outcome.ts';
import { createToolUse, type ToolUse } from './use-tools.ts';

/** The access of a conversation to the tools of its call. */
export type ToolAccess = {
  /** For an engine that may use these tools. */
  useToolOf(tools: readonly CallTool[]): EngineOutput['useTool'];
  /** Resolves when no tool is running. */
  done(): Promise<void>;
};

export type ToolAccessDeps = {
  owner: Owner;
  writes: CallWrites;
  toolsUnderWay: ToolsUnderWay;
  runTool: ToolRunner;
};

type Options = {
  queue: EventQueue;
  assistant: PreparedAssistant;
  record: CallRecord;
  note: CallRecord['add'];
  transfers: Transfers;
  hangUp: (cause: OwnEndCause) => void;
  /** Shows the human that a tool is running. */
  show: (update: CallUpdate) => void;
  /** Aborts when the conversation ends. */
  signal: AbortSignal;
};

/** Tools run only while this worker holds the call; some of them end the conversation. */
export function createToolAccess(deps: ToolAccessDeps, options: Options): ToolAccess {
  const { queue, assistant, record, note, transfers, hangUp, show, signal } = options;
  const { clock, call, post } = queue;
  const running = new Set<Promise<unknown>>();

  /** Whether a tool may run here. A tool with effects elsewhere is recorded first, so that it is never repeated. */
  const begin = async ({ id, tool, args }: ToolInvocation): Promise<boolean> => {
    if (!(await deps.writes.holds(deps.owner, call()))) return false;
    if (!hasOutsideEffect(tool)) return true;
    const { tool_name: toolName, tool_type: toolType, description } = tool;
    const begun = { toolCallId: id, toolName, toolType, description, args };
    return deps.toolsUnderWay.begin(deps.owner, call(), begun);
  };

  const runTool: ToolUse['runTool'] = (invocation, aborts) => {
    const { id, tool } = invocation;
    const showTool = (status: 'running' | 'done' | 'failed'): void =>
      show({ type: 'tool', id, name: tool.tool_name, status });
    showTool('running');
    const context = {
      call: call(),
      assistant,
      transfer: transfers.request,
      begin: () => begin(invocation),
    };
    const run = deps.runTool(context, invocation, aborts);
    running.add(run);
    void run.then(
      ({ error }) => showTool(error === null ? 'done' : 'failed'),
      () => showTool('failed'),
    );
    return run.finally(() => running.delete(run));
  };

  const onUsed: ToolUse['onUsed'] = ({ source }) => {
    if (source.kind === 'report_voicemail') {
      void post({ type: 'machine_detected', legId: call().state.callSid, at: clock.now() });
      return 'ends';
    }
    if (source.kind !== 'native') return 'continues';
    if (source.tool.tool_name === 'end_call') hangUp('local');
    // After a transfer the carrier reports the end of the call.
    else if (source.tool.tool_name !== 'transfer_call') return 'continues';
    return 'ends';
  };

  return {
    useToolOf: (tools) =>
      createToolUse(
        { now: clock.now, runTool, cutOff: (tool) => cutOff(tool, signal, transfers), onUsed },
        { call: call(), tools, record: record.entries, note, signal },
      ),
    done: async () => {
      await Promise.all(running);
    },
  };
}

function cutOff({ tool_name }: CallTool, { reason }: AbortSignal, transfers: Transfers): ToolOutcome {
  return tool_name === 'transfer_call' && transfers.isDone()
    ? succeeded({ status: 'transferred' })
    : failed(`The result was not awaited: ${reason instanceof Error ? reason.message : 'the call is over'}`);
}

/** Without its secrets; only an engine that runs beside its tools learns that a tool may be non-blocking. */
export function toEngineTool(
  { tool_name, tool_type, description, parameters, tool_behavior, result_scheduling }: EngineTool,
  { capabilities }: ConversationEngine,
): EngineTool {
  const behavior = capabilities.nonBlockingTools ? tool_behavior : 'blocking';
  return { tool_name, tool_type, description, parameters, tool_behavior: behavior, result_scheduling };
}
