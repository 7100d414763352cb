import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions';
import type { EngineInput, EngineTool, HistoryTurn, ToolAnswer } from '../engine.ts';
import type { ToolCall } from './collector.ts';

/** Older exchanges of a long call are omitted. */
const MAX_CHARACTERS = 100_000;

/** The conversation as messages of the API. */
export type Dialogue = {
  heard(line: string): void;
  answered(text: string, calls: readonly ToolCall[]): void;
  used(call: ToolCall, answer: ToolAnswer): void;
  messages(): ChatCompletionMessageParam[];
};

export function createDialogue({ systemPrompt, language, history }: EngineInput): Dialogue {
  const system = { role: 'system', content: `${systemPrompt}\n\n${phoneInstructions(language)}` } as const;
  let turns = history.flatMap(toMessages);
  return {
    heard: (content) => void turns.push({ role: 'user', content }),
    answered: (text, calls) => void turns.push(assistantMessage(text, calls)),
    used: ({ id }, answer) => void turns.push({ role: 'tool', tool_call_id: id, content: toContent(answer) }),
    messages: () => {
      turns = withoutOldest(turns);
      return [system, ...turns];
    },
  };
}

export function toTools(tools: readonly EngineTool[]): ChatCompletionTool[] {
  return tools.map(({ tool_name: name, description, parameters }) => ({
    type: 'function',
    function: {
      name,
      description: description ?? '',
      parameters: { type: 'object', properties: {}, ...parameters },
    },
  }));
}

function phoneInstructions(language: string): string {
  return `You are on a phone call: answer in a few short sentences that can be spoken, without any formatting. Unless you were told otherwise, speak the language ${language}.`;
}

function assistantMessage(text: string, calls: readonly ToolCall[]): ChatCompletionMessageParam {
  if (calls.length === 0) return { role: 'assistant', content: text };
  const tool_calls = calls.map(({ id, name, args }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: args },
  }));
  return { role: 'assistant', content: text === '' ? null : text, tool_calls };
}

/** Converts the turns, also those recorded by another worker. */
function toMessages(turn: HistoryTurn, i: number): ChatCompletionMessageParam[] {
  if (turn.role !== 'tool')
    return [{ role: turn.role === 'user' ? 'user' : 'assistant', content: turn.content }];
  const id = `call_before_${i}`;
  const call = { id, name: turn.toolName, args: JSON.stringify(turn.args ?? {}) };
  return [assistantMessage('', [call]), { role: 'tool', tool_call_id: id, content: toContent(turn) }];
}

function toContent({ result, error }: ToolAnswer): string {
  if (error !== null) return JSON.stringify({ error });
  return typeof result === 'string' ? result : JSON.stringify(result ?? null);
}

/** Omits whole exchanges, because the API rejects a tool result without its call. */
function withoutOldest(turns: ChatCompletionMessageParam[]): ChatCompletionMessageParam[] {
  const sizes = turns.map((turn) => JSON.stringify(turn).length);
  let size = sizes.reduce((sum, next) => sum + next, 0);
  let first = 0;
  while (size > MAX_CHARACTERS) {
    const next = turns.findIndex(({ role }, i) => role === 'user' && i > first);
    if (next === -1) break;
    size -= sizes.slice(first, next).reduce((sum, each) => sum + each, 0);
    first = next;
  }
  return first === 0 ? turns : turns.slice(first);
}
