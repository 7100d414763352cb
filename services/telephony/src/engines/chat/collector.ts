import type { ChatCompletionChunk } from 'openai/resources/chat/completions';

/** `args` is raw model output. */
export type ToolCall = { id: string; name: string; args: string };
export type ChatAnswer = { text: string; calls: ToolCall[] };

/** Longer answers are aborted. */
const MAX_CHARACTERS = 20_000;

export type Collector = {
  /** Returns the words of the chunk. */
  add(chunk: ChatCompletionChunk): string;
  finish(): ChatAnswer;
};

/** Joins the chunks of a streamed answer. Throws if it is too long or incomplete. */
export function createCollector(): Collector {
  const calls = new Map<number, ToolCall>();
  let text = '';
  let size = 0;
  let isFinished = false;

  const callAt = (index: number): ToolCall => {
    const call = calls.get(index) ?? { id: `call_${index}`, name: '', args: '' };
    calls.set(index, call);
    return call;
  };

  return {
    add: ({ choices }) => {
      const [choice] = choices;
      if (!choice) return '';
      isFinished ||= Boolean(choice.finish_reason);
      const said = choice.delta?.content ?? '';
      text += said;
      size += said.length;
      for (const { index, id, function: part } of choice.delta?.tool_calls ?? []) {
        // Some servers omit the index: a chunk with an id starts the next tool call.
        const call = callAt(index ?? (id ? calls.size : calls.size - 1));
        call.id = id || call.id;
        call.name += part?.name ?? '';
        call.args += part?.arguments ?? '';
        size += part?.arguments?.length ?? 0;
      }
      if (size > MAX_CHARACTERS) throw new Error('The answer of the model is too long');
      return said;
    },
    finish: () => {
      if (!isFinished) throw new Error('The answer of the model is incomplete');
      return { text: text.trim(), calls: [...calls.values()] };
    },
  };
}
