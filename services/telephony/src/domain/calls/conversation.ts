import type { ConversationEngine, EngineTool, HistoryTurn } from '../conversation/engine-port.ts';
import type { PreparedAssistant } from '../conversation/prepare-prompt.ts';
import type { TextPort } from '../conversation/text-port.ts';
import { toolsOfCall } from '../tools/tools-of-call.ts';
import type { Call } from './call.ts';
import { nextSeq } from './next-seq.ts';
import type { Entry, SpokenEntry, ToolEntry, TurnWriter } from './ports.ts';
import { createToolUse, type ToolUse } from './use-tools.ts';

export type ConversationDeps = ToolUse & {
  turns: TurnWriter;
  /**
   * Starts to wait for the human: gives up after the silence timeout; returns the end of the wait. `goesOn`: nothing was
   * said or done since another worker has waited.
   */
  awaitHuman: (goesOn: boolean) => () => void;
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
  /** Has the engine lead it until the signal aborts, and then rejects with its reason. */
  run(engine: ConversationEngine): Promise<void>;
  /** Says something on its own account, beside the engine: a voicemail message. */
  say(text: string): Promise<void>;
};

/** Stands between engine, carrier and tools: keeps the record, waits for the human, has the tools run. */
export function createConversation(deps: ConversationDeps, options: ConversationOptions): Conversation {
  const { call, assistant, port, record, signal } = options;
  const tools = toolsOfCall(assistant, call.callType);
  const doneBefore = record.length;

  const note = (entry: SpokenEntry | ToolEntry): void => {
    const written: Entry = { ...entry, seq: nextSeq(record, call.fence), at: deps.now() };
    record.push(written);
    deps.turns.append(call, written);
  };

  const hear: TextPort['hear'] = async (aborts) => {
    const stopWaiting = deps.awaitHuman(record.length === doneBefore);
    return port.hear(aborts).finally(stopWaiting);
  };

  return {
    run: (engine) =>
      engine.run(
        {
          direction: call.callType === 'outbound' ? 'outbound' : 'inbound',
          systemPrompt: assistant.systemPrompt,
          firstMessage: assistant.firstMessage,
          model: assistant.config.model,
          language: assistant.config.language,
          variables: call.dynamicVariables,
          tools: tools.map((tool) => toEngineTool(tool, engine)),
          history: record.map(toHistory),
          signal,
          port: { say: port.say, hear },
        },
        {
          // What an engine still says when the conversation is over isn't heard any more.
          turn: (spoken) => signal.aborted || note(spoken),
          useTool: createToolUse(deps, { call, tools, record, note, signal }),
        },
      ),
    say: async (text) => {
      note({ role: 'agent', content: text });
      await port.say(text, signal);
    },
  };
}

/** Nothing of what stands behind it; and only an engine that goes on while a tool runs hears that it may. */
function toEngineTool(
  { tool_name, tool_type, description, parameters, tool_behavior, result_scheduling }: EngineTool,
  { capabilities }: ConversationEngine,
): EngineTool {
  const behavior = capabilities.nonBlockingTools ? tool_behavior : 'blocking';
  return { tool_name, tool_type, description, parameters, tool_behavior: behavior, result_scheduling };
}

function toHistory(entry: Entry): HistoryTurn {
  if (entry.role !== 'tool') return { role: entry.role, content: entry.content };
  const { toolName, args, outcome } = entry;
  return { role: 'tool', toolName, args, result: outcome.result, error: outcome.error };
}
