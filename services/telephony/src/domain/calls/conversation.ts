import type { SnapshotTool } from '@parley/contracts';
import { newId } from '@parley/kit/ids';
import { toIsoMillis } from '@parley/kit/time';
import type { SpokenTurn } from '../call-history/plain-transcript.ts';
import type { ConversationEngine, EngineOutput, HistoryTurn } from '../conversation/engine-port.ts';
import type { PreparedAssistant } from '../conversation/prepare-prompt.ts';
import type { TextPort } from '../conversation/text-port.ts';
import { failed, type ToolOutcome } from '../tools/tool-outcome.ts';
import type { ToolInvocation } from '../tools/tool-request.ts';
import type { Call } from './call.ts';
import { nextSeq } from './next-seq.ts';
import type { Entry, SpokenEntry, ToolEntry, TurnWriter } from './ports.ts';

export type ConversationDeps = {
  engine: ConversationEngine;
  turns: TurnWriter;
  now: () => Date;
  /** Starts to wait for the human: gives up after the silence timeout; returns the end of the wait. */
  awaitHuman: () => () => void;
  runTool: (invocation: ToolInvocation, signal: AbortSignal) => Promise<ToolOutcome>;
  /** What became of a tool that was under way when the conversation was over. */
  cutOff: (tool: SnapshotTool) => ToolOutcome;
  /** The assistant ends the call. */
  endCall: () => void;
};

export type ConversationOptions = {
  call: Call;
  assistant: PreparedAssistant;
  port: TextPort;
  /** What was said and done so far; goes on growing. */
  record: Entry[];
  signal: AbortSignal;
};

export type Conversation = {
  /** Leads it until the signal aborts, and then rejects with its reason. */
  run(): Promise<void>;
  /** Says something on its own account, beside the engine: a voicemail message. */
  say(text: string): Promise<void>;
};

/** Stands between engine, carrier and tools: keeps the record, waits for the human, runs the tools. */
export function createConversation(deps: ConversationDeps, options: ConversationOptions): Conversation {
  const { call, assistant, port, record, signal } = options;
  const { snapshot } = assistant;

  const note = (entry: SpokenEntry | ToolEntry): void => {
    const written: Entry = { ...entry, seq: nextSeq(record, call.fence), at: deps.now() };
    record.push(written);
    deps.turns.append(call, written);
  };

  /** Runs a tool and notes what became of it, which nobody waits for once the conversation is over. */
  const run = (tool: SnapshotTool, args: Record<string, unknown>): Promise<ToolOutcome> =>
    new Promise((resolve, reject) => {
      const finish = (outcome: ToolOutcome): void => {
        signal.removeEventListener('abort', leave);
        note(toolEntry(tool.tool_name, tool, args, outcome));
        resolve(outcome);
      };
      const leave = (): void => {
        note(toolEntry(tool.tool_name, tool, args, deps.cutOff(tool)));
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      const invocation = { id: newId(), at: deps.now(), tool, args, call, spoken: spokenTurns(record) };
      deps.runTool(invocation, signal).then((outcome) => signal.aborted || finish(outcome), reject);
    });

  const useTool: EngineOutput['useTool'] = async (toolName, args) => {
    signal.throwIfAborted();
    const tool = snapshot.tools.find(({ tool_name }) => tool_name === toolName);
    if (!tool) {
      const outcome = failed(`There is no tool ${toolName}`);
      note(toolEntry(toolName, undefined, args, outcome));
      return outcome;
    }
    const outcome = await run(tool, args);
    if (tool.is_native && toolName === 'end_call' && outcome.error === null) {
      deps.endCall();
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    }
    return outcome;
  };

  return {
    run: () =>
      deps.engine.run(
        {
          direction: call.callType === 'outbound' ? 'outbound' : 'inbound',
          systemPrompt: assistant.systemPrompt,
          firstMessage: assistant.firstMessage,
          variables: call.dynamicVariables,
          tools: snapshot.tools,
          history: record.map(toHistory),
          signal,
          port: {
            say: port.say,
            hear: async (aborts) => {
              const stopWaiting = deps.awaitHuman();
              return port.hear(aborts).finally(stopWaiting);
            },
          },
        },
        {
          // What an engine still says when the conversation is over isn't heard any more.
          turn: (spoken) => signal.aborted || note(spoken),
          useTool,
        },
      ),
    say: async (text) => {
      note({ role: 'agent', content: text });
      await port.say(text, signal);
    },
  };
}

function toolEntry(
  toolName: string,
  tool: SnapshotTool | undefined,
  args: Record<string, unknown>,
  outcome: ToolOutcome,
): ToolEntry {
  const toolType = tool?.is_native ? 'native' : 'custom';
  return { role: 'tool', toolName, toolType, description: tool?.description ?? null, args, outcome };
}

function toHistory(entry: Entry): HistoryTurn {
  if (entry.role !== 'tool') return { role: entry.role, content: entry.content };
  const { result, error } = entry.outcome;
  return { role: 'tool', toolName: entry.toolName, result, error };
}

function spokenTurns(record: readonly Entry[]): SpokenTurn[] {
  return record.flatMap((entry) =>
    entry.role === 'tool'
      ? []
      : [{ role: entry.role, content: entry.content, timestamp: toIsoMillis(entry.at) }],
  );
}
