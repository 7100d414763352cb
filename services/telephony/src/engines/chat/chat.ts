import { realTimer } from '@parley/kit/time';
import { APIError, type OpenAI } from 'openai';
import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from 'openai/resources/chat/completions';
import { type ChatAnswer, createCollector } from './collector.ts';

export type ChatQuestion = {
  model: string;
  temperature: number;
  messages: ChatCompletionMessageParam[];
  tools: ChatCompletionTool[];
  /** False after the maximum number of tool rounds. */
  mayUseTools: boolean;
};

export type ChatDeps = {
  openai: OpenAI;
  /** Maximum silence of the model in real time; the whole answer may take three times as long. */
  timeoutMs: number;
};

const WHOLE_ANSWERS = 3;

/** Requests the model's next output; `onText` gets its words as they arrive. Rejects on failure. */
export type Chat = (
  question: ChatQuestion,
  signal: AbortSignal,
  onText: (words: string) => void,
) => Promise<ChatAnswer>;

export function createChat({ openai, timeoutMs }: ChatDeps): Chat {
  return async ({ model, temperature, messages, tools, mayUseTools }, signal, onText) => {
    const tool_choice = mayUseTools ? 'auto' : 'none';
    const given = tools.length > 0 ? ({ tools, tool_choice } as const) : {};
    const complete = (more: { temperature?: number }): Promise<ChatAnswer> =>
      collect({ openai, timeoutMs }, { model, messages, ...given, ...more }, signal, onText);
    try {
      return await complete({ temperature });
    } catch (err) {
      // Some models accept only their default temperature.
      if (err instanceof APIError && err.status === 400 && err.param === 'temperature') return complete({});
      throw err;
    }
  };
}

type Request = Omit<ChatCompletionCreateParamsStreaming, 'stream'>;

async function collect(
  { openai, timeoutMs }: ChatDeps,
  request: Request,
  signal: AbortSignal,
  onText: (words: string) => void,
): Promise<ChatAnswer> {
  const late = new AbortController();
  const onTimeout = (): void => late.abort(new Error('The model did not answer in time'));
  const cancelWhole = realTimer(WHOLE_ANSWERS * timeoutMs, onTimeout);
  let cancelIdle = realTimer(timeoutMs, onTimeout);
  const signals = AbortSignal.any([signal, late.signal]);
  try {
    const stream = await openai.chat.completions.create({ ...request, stream: true }, { signal: signals });
    const answer = createCollector();
    for await (const chunk of stream) {
      cancelIdle();
      cancelIdle = realTimer(timeoutMs, onTimeout);
      const words = answer.add(chunk);
      if (words !== '') onText(words);
    }
    // The library does not throw when the request is aborted or the connection ends.
    signals.throwIfAborted();
    return answer.finish();
  } catch (err) {
    signal.throwIfAborted();
    throw late.signal.aborted ? late.signal.reason : err;
  } finally {
    cancelIdle();
    cancelWhole();
  }
}
