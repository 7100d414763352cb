import { retry } from '@parley/kit/concurrency';
import type { Log } from '@parley/kit/log';
import { APIError } from 'openai';
import type { ConversationEngine, EngineInput, EngineOutput } from '../engine.ts';
import type { Chat, ChatQuestion } from './chat.ts';
import type { ChatAnswer } from './collector.ts';
import { createDialogue, toTools } from './dialogue.ts';

export type OpenAiEngineDeps = {
  chat: Chat;
  /** The model if an assistant names none. */
  defaultModel: string | undefined;
  log: Log;
};

/** After this many tool rounds the model must answer without tools. */
const MAX_TOOL_ROUNDS = 6;
const RETRY_AFTER_MS = 300;
const APOLOGY = 'I am sorry, I am having trouble with my line right now. Could you say that again, please?';

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

  const speak = async (text: string): Promise<void> => {
    output.turn({ role: 'agent', content: text });
    await port.say(text, signal);
  };

  const ask = (mayUseTools: boolean): Promise<ChatAnswer | undefined> =>
    askTwice(
      deps,
      {
        model: (isBuiltin(model.name) && deps.defaultModel) || model.name,
        temperature: model.temperature,
        messages: dialogue.messages(),
        tools,
        mayUseTools,
      },
      signal,
    );

  const respond = async (): Promise<void> => {
    for (let round = 1; round <= MAX_TOOL_ROUNDS; round += 1) {
      const answer = await ask(round < MAX_TOOL_ROUNDS);
      if (!answer) return speak(APOLOGY);
      const { text, calls } = answer;
      dialogue.answered(text, calls);
      if (text !== '') await speak(text);
      if (calls.length === 0) return;
      for (const call of calls) {
        dialogue.used(call, await output.useTool(call.name, readArguments(call.args)));
      }
    }
  };

  const last = history.at(-1);
  if (last ? last.role !== 'agent' : firstMessage.trim() === '' && direction === 'outbound') await respond();
  else if (!last && firstMessage.trim() !== '') {
    dialogue.answered(firstMessage, []);
    await speak(firstMessage);
  }
  for (;;) {
    const line = await port.hear(signal);
    output.turn({ role: 'user', content: line });
    dialogue.heard(line);
    await respond();
  }
}

/** Retries once after a temporary failure. Undefined: the model returned nothing. */
async function askTwice(
  { chat, log }: OpenAiEngineDeps,
  question: ChatQuestion,
  signal: AbortSignal,
): Promise<ChatAnswer | undefined> {
  const attempt = () =>
    chat(question, signal).catch((err: unknown) => {
      signal.throwIfAborted();
      log.warn({ ...failureOf(err), model: question.model }, 'model request failed');
      throw err;
    });
  const isRetryable = (err: unknown) => !(err instanceof APIError && isOurFault(err.status));
  return retry(attempt, { attempts: 2, signal, isRetryable, delayMs: () => RETRY_AFTER_MS }).catch(() => {
    signal.throwIfAborted();
    return undefined;
  });
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
