import type { ConversationEngine, FindEngine } from '../domain/conversation/engine-port.ts';
import { createScriptedEngine } from './scripted/scripted-engine.ts';

/** The engine of each provider; `openai` only where the operator configured it. */
export function createFindEngine({ openai }: { openai?: ConversationEngine | undefined } = {}): FindEngine {
  const scripted = createScriptedEngine(false);
  const live = createScriptedEngine(true);
  return ({ provider, name }) => {
    if (provider === 'openai') return openai;
    if (provider !== 'builtin') return undefined;
    return name === 'scripted-live-1' ? live : scripted;
  };
}
