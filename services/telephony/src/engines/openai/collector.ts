import type { ChatCompletionChunk } from 'openai/resources/chat/completions';

/** `args` as the model wrote them. */
export type ToolCall = { id: string; name: string; args: string };
export type ChatAnswer = { text: string; calls: ToolCall[] };

/** Nobody listens to more; a model that can't stop is stopped. */
const MOST_CHARACTERS = 20_000;

export type Collector = { add(chunk: ChatCompletionChunk): void; finish(): ChatAnswer };

/** Puts the pieces of a streamed answer together. Throws when it has no end, in either sense. */
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
      if (!choice) return;
      isFinished ||= Boolean(choice.finish_reason);
      const said = choice.delta?.content ?? '';
      text += said;
      size += said.length;
      for (const { index, id, function: part } of choice.delta?.tool_calls ?? []) {
        // Some servers leave the index out: a piece with an id begins the next call.
        const call = callAt(index ?? (id ? calls.size : calls.size - 1));
        call.id = id || call.id;
        call.name += part?.name ?? '';
        call.args += part?.arguments ?? '';
        size += part?.arguments?.length ?? 0;
      }
      if (size > MOST_CHARACTERS) throw new Error('The model did not come to an end');
    },
    finish: () => {
      if (!isFinished) throw new Error('The answer of the model broke off');
      return { text: text.trim(), calls: [...calls.values()] };
    },
  };
}
