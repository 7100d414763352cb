import type { ConversationEngine, EngineInput, EngineTool } from '../../domain/conversation/engine-port.ts';
import { readIntent } from './intents.ts';
import { makeArguments } from './make-arguments.ts';
import { greeting, NO_MORE_TOOLS, replySentence, toolSentence } from './sentences.ts';

/** Which native tools come after all others when each is to be used: they end the call. */
const LAST: readonly string[] = ['transfer_call', 'end_call'];

/**
 * `builtin/scripted-1`: a conversation by rules. It understands keywords, uses tools that the human names or means, and
 * tells what they said; the same words always get the same answer. It pretends to nothing more.
 */
export const scriptedEngine: ConversationEngine = {
  run: async (input, output) => {
    const { history, port, signal } = input;
    const used = new Set(history.flatMap((turn) => (turn.role === 'tool' ? [turn.toolName] : [])));
    let heard = history.filter(({ role }) => role === 'user').length;

    const speak = async (text: string): Promise<void> => {
      output.turn({ role: 'agent', content: text });
      await port.say(text, signal);
    };

    const answer = async (line: string): Promise<void> => {
      const intent = readIntent(line, input.tools, used);
      const tool = intent.type === 'tool' ? intent.tool : undefined;
      if (tool) return useTool(tool, line);
      if (intent.type !== 'next_tool') return speak(replySentence(intent, input.systemPrompt, heard));
      const next = inTurn(input.tools).find(({ tool_name }) => !used.has(tool_name));
      return next ? useTool(next, line) : speak(NO_MORE_TOOLS);
    };

    const useTool = async ({ tool_name, parameters }: EngineTool, line: string): Promise<void> => {
      used.add(tool_name);
      const result = await output.useTool(tool_name, makeArguments(parameters, line, input.variables));
      await speak(toolSentence(tool_name, result));
    };

    await begin(input, speak, answer);
    for (;;) {
      const line = await port.hear(signal);
      output.turn({ role: 'user', content: line });
      await answer(line);
      heard += 1;
    }
  },
};

/** Greets, waits for the human to begin, or goes on where another worker left off. */
async function begin(
  { history, direction, firstMessage, systemPrompt }: EngineInput,
  speak: (text: string) => Promise<void>,
  answer: (line: string) => Promise<void>,
): Promise<void> {
  const last = history.at(-1);
  if (!last) {
    const greets = direction === 'outbound' || firstMessage.trim() !== '';
    if (greets) await speak(greeting(firstMessage, systemPrompt));
  } else if (last.role === 'user') {
    await answer(last.content);
  } else if (last.role === 'tool') {
    await speak(toolSentence(last.toolName, last));
  }
}

function inTurn(tools: readonly EngineTool[]): EngineTool[] {
  return [...tools].sort((a, b) => LAST.indexOf(a.tool_name) - LAST.indexOf(b.tool_name));
}
