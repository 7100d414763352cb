import type { AssistantSnapshot } from '@parley/contracts';
import type { Log } from '@parley/kit/log';
import { type PreparedAssistant, prepareAssistant, TOO_LONG } from '../assistants/prepare-prompt.ts';
import type { DialRequest } from './dial-request.ts';
import type { Known } from './load-dependencies.ts';

/** What the call of a dial stores about its assistant. */
export type Preparation = {
  snapshot: AssistantSnapshot;
  assistant: PreparedAssistant;
  rateCents: number;
};

/** Undefined: what cannot be prepared now never can. */
export type PrepareDial = (request: DialRequest) => Preparation | undefined;

export function createPrepareDial({ assistants, limits }: Known, log: Log): PrepareDial {
  return ({ callId, agentId, workspaceId, dynamicVariables }) => {
    const snapshot = assistants.get(agentId);
    if (!snapshot) return undefined;
    try {
      const assistant = prepareAssistant(snapshot, dynamicVariables);
      if (!assistant.isTooLong)
        return { snapshot, assistant, rateCents: limits.get(workspaceId)?.rateCents ?? 0 };
      log.warn({ callId, agentId }, TOO_LONG);
    } catch (err) {
      log.error({ err, callId, agentId }, 'the assistant of a dial could not be prepared');
    }
    return undefined;
  };
}
