import type { Log } from '@parley/kit/log';
import { realSleep } from '@parley/kit/time';
import { APIError } from 'openai';
import type { ConversationEngine, EngineInput, EngineOutput } from '../../domain/conversation/engine-port.ts';
import type { Chat, ChatQuestion } from './chat.ts';
import type { ChatAnswer } from './collector.ts';
import { createDialogue, toTools } from './dialogue.ts';

export type OpenAiEngineDeps = {
  chat: Chat;
  /** Named where an assistant names none of its provider's. */
  defaultModel: string | undefined;
  log: Log;
};

/** A model that goes on asking for tools is asked for words then. */
const MOST_ROUNDS = 6;
const RETRY_AFTER_MS = 300;
export const APOLOGY =
  'I am sorry, I am having trouble with my line right now. Could you say that again, please?';

/**
 * `openai`: a chat model leads the conversation, by any endpoint that speaks OpenAI's API. A model that fails twice in a row
 * apologises, and the call goes on.
 */
export function createOpenAiEngine(deps: OpenAiEngineDeps): ConversationEngine {
  return {
    // It answers when it was spoken to, and waits for its tools: no live model.
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
    for (let round = 1; round <= MOST_ROUNDS; round += 1) {
      const answer = await ask(round < MOST_ROUNDS);
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

/** Once more after a failure that may pass; undefined: the model has nothing to say. */
async function askTwice(
  { chat, log }: OpenAiEngineDeps,
  question: ChatQuestion,
  signal: AbortSignal,
): Promise<ChatAnswer | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await chat(question, signal);
    } catch (err) {
      signal.throwIfAborted();
      const mayPass = !(err instanceof APIError) || !isOurFault(err.status);
      log.warn({ ...failureOf(err), attempt, model: question.model }, 'the model did not answer');
      if (attempt === 2 || !mayPass) return undefined;
      await realSleep(RETRY_AFTER_MS, signal);
    }
  }
}

/** Without what the endpoint wrote: it may repeat what was said, or a part of the key. */
function failureOf(err: unknown): Record<string, unknown> {
  if (err instanceof APIError)
    return { status: err.status, code: err.code, param: err.param, error: err.name };
  return { error: err instanceof Error ? err.message : 'unknown' };
}

function isOurFault(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500 && ![408, 409, 429].includes(status);
}

/** What isn't JSON fits no tool, and is told to the model as that. */
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
