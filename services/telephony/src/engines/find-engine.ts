import type { OpenAI } from 'openai';
import { createChat } from './chat/chat.ts';
import { createOpenAiEngine } from './chat/openai-engine.ts';
import type { FindEngine } from './engine.ts';
import { createScriptedEngine } from './scripted/scripted-engine.ts';

export type FindEngineDeps = {
  openai: OpenAI | undefined;
  timeoutMs: number;
  defaultModel: string | undefined;
};

/** The engine of each provider; `openai` only if the operator configured it. */
export function createFindEngine({ openai, timeoutMs, ...deps }: FindEngineDeps): FindEngine {
  const scripted = createScriptedEngine(false);
  const live = createScriptedEngine(true);
  const chat = openai && createOpenAiEngine({ ...deps, chat: createChat({ openai, timeoutMs }) });
  return ({ provider, name }) => {
    if (provider === 'openai') return chat;
    if (provider !== 'builtin') return undefined;
    return name === 'scripted-live-1' ? live : scripted;
  };
}
