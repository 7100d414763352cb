import { retry } from '@parley/kit/concurrency';
import { APIError } from 'openai';
import { repeatPleaseIn } from '../../speech/fixed-sentences.ts';
import { isSpeechError } from '../../speech/is-speech-error.ts';
import type { ConversationEngine, EngineInput, EngineOutput } from '../engine.ts';
import type { TextPort } from '../text-port.ts';
import type { Chat, ChatQuestion } from './chat.ts';
import type { ToolCall } from './collector.ts';
import { createDialogue, toTools } from './dialogue.ts';
import { createWordStream } from './word-stream.ts';

export type OpenAiEngineDeps = {
  chat: Chat;
  /** The model if an assistant names none. */
  defaultModel: string | undefined;
};

/** After this many tool rounds the model must answer without tools. */
const MAX_TOOL_ROUNDS = 6;
const RETRY_AFTER_MS = 300;

/**
 * `openai`: a chat model behind any OpenAI-compatible endpoint conducts the conversation. After two failures in a row the
 * assistant apologizes and the call continues.
 */
export function createOpenAiEngine(deps: OpenAiEngineDeps): ConversationEngine {
  return {
    // Answers when spoken to and waits for its tools: not a live model.
    capabilities: { nonBlockingTools: false },
    run: (input, output) => lead(deps, input, output),
  };
}

async function lead(deps: OpenAiEngineDeps, input: EngineInput, output: EngineOutput): Promise<never> {
  const { port, signal, model, firstMessage, direction, history } = input;
  const dialogue = createDialogue(input);
  const tools = toTools(input.tools);

  /** Says a fixed text instead of an answer of the model. */
  const speak = async (text: string): Promise<string> => (await port.say(text, signal)).text;

  const requestAnswer = (mayUseTools: boolean): Promise<SpokenAnswer | undefined> =>
    answerWithRetry(deps.chat, input, {
      model: (isBuiltin(model.name) && deps.defaultModel) || model.name,
      temperature: model.temperature,
      messages: dialogue.messages(),
      tools,
      mayUseTools,
    });

  const respond = async (): Promise<void> => {
    for (let round = 1; round <= MAX_TOOL_ROUNDS; round += 1) {
      const answer = await requestAnswer(round < MAX_TOOL_ROUNDS);
      if (answer && (answer.heard !== '' || answer.calls.length > 0))
        dialogue.answered(answer.heard, answer.calls);
      if (!answer || answer.isBroken) {
        await speak(repeatPleaseIn(input.language));
        return;
      }
      if (answer.calls.length === 0) return;
      for (const call of answer.calls) {
        dialogue.used(call, await output.useTool(call.name, readArguments(call.args)));
      }
    }
  };

  const last = history.at(-1);
  if (last ? last.role !== 'agent' : firstMessage.trim() === '' && direction === 'outbound') await respond();
  else if (!last && firstMessage.trim() !== '') {
    dialogue.answered(await speak(firstMessage), []);
  }
  for (;;) {
    dialogue.heard((await port.hear(signal)).text);
    await respond();
  }
}

/** What the human heard of an answer, and the tools to use after it; none if the human interrupted, or the model failed. */
type SpokenAnswer = { heard: string; calls: readonly ToolCall[]; isBroken: boolean };

/** Speaks the model's answer as it arrives. Rejects if nothing of it was heard, and with SpeechError if it can't be spoken. */
async function speakAnswer(
  chat: Chat,
  port: TextPort,
  question: ChatQuestion,
  signal: AbortSignal,
): Promise<SpokenAnswer> {
  const cutOff = new AbortController();
  const words = createWordStream();
  const completion = chat(question, AbortSignal.any([signal, cutOff.signal]), words.add);
  completion.then(words.end, words.fail);
  const spoken = await port.say(words.stream, signal).catch((err: unknown) => {
    cutOff.abort(err);
    throw err;
  });
  if (spoken.isInterrupted) {
    cutOff.abort(new Error('The human interrupted the answer'));
    return { heard: spoken.text, calls: [], isBroken: false };
  }
  const answer = await completion.catch(() => undefined);
  return { heard: spoken.text, calls: answer?.calls ?? [], isBroken: answer === undefined };
}

/**
 * Retries once after a temporary failure. Undefined: the model returned nothing. Rejects with SpeechError: the providers of speech have
 * been retried already, and another answer could not be spoken either.
 */
async function answerWithRetry(
  chat: Chat,
  { port, signal, log }: Pick<EngineInput, 'port' | 'signal' | 'log'>,
  question: ChatQuestion,
): Promise<SpokenAnswer | undefined> {
  const attempt = () =>
    speakAnswer(chat, port, question, signal).catch((err: unknown) => {
      signal.throwIfAborted();
      if (!isSpeechError(err)) log.warn({ ...failureOf(err), model: question.model }, 'model request failed');
      throw err;
    });
  const isRetryable = (err: unknown) =>
    !isSpeechError(err) && !(err instanceof APIError && isOurFault(err.status));
  return retry(attempt, { attempts: 2, signal, isRetryable, delayMs: () => RETRY_AFTER_MS }).catch(
    (err: unknown) => {
      signal.throwIfAborted();
      if (isSpeechError(err)) throw err;
      return undefined;
    },
  );
}

/** Excludes the endpoint's own message, which may repeat the conversation or part of the key. */
function failureOf(err: unknown): Record<string, unknown> {
  if (err instanceof APIError)
    return { status: err.status, code: err.code, param: err.param, error: err.name };
  return { error: err instanceof Error ? err.message : 'unknown' };
}

function isOurFault(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500 && ![408, 409, 429].includes(status);
}

/** Arguments that are not JSON are passed on as text: they fit no tool, and the model gets that error. */
function readArguments(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isBuiltin(name: string): boolean {
  return name.startsWith('scripted-');
}
