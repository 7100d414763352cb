import type { AssistantSnapshot } from '@parley/contracts';
import type { Log } from '@parley/kit/log';
import { type PreparedAssistant, prepareAssistant, TOO_LONG } from '../assistants/prepare-prompt.ts';
import type { DialRequest, Refusal } from './dial-request.ts';
import type { Known } from './load-dependencies.ts';
import type { PlannedDial } from './plan-slots.ts';

/** A dial with what its call stores about its assistant. */
export type PreparedDial = PlannedDial & {
  snapshot: AssistantSnapshot;
  assistant: PreparedAssistant;
  rateCents: number;
};

/**
 * Prepares the assistants of reserved dials. What cannot be prepared now never can: the request is refused, since it would
 * otherwise undo each round that reads it [trust.29].
 */
export function prepareDials(
  planned: readonly PlannedDial[],
  { assistants, limits }: Known,
  log: Log,
): { dials: PreparedDial[]; refusals: Refusal[] } {
  const dials: PreparedDial[] = [];
  const refusals: Refusal[] = [];
  for (const dial of planned) {
    const { request } = dial;
    const { agentId, workspaceId, campaign } = request;
    const snapshot = assistants.get(agentId);
    if (!snapshot) continue;
    const assistant = prepare(snapshot, request, log);
    const rateCents = limits.get(workspaceId)?.rateCents ?? 0;
    if (assistant) dials.push({ ...dial, snapshot, assistant, rateCents });
    // Campaigns know no finer reason.
    else refusals.push({ request, reason: campaign ? 'agent_unavailable' : 'texts_too_long' });
  }
  return { dials, refusals };
}

function prepare(
  snapshot: AssistantSnapshot,
  { callId, agentId, dynamicVariables }: DialRequest,
  log: Log,
): PreparedAssistant | undefined {
  try {
    const assistant = prepareAssistant(snapshot, dynamicVariables);
    if (!assistant.isTooLong) return assistant;
    log.warn({ callId, agentId }, TOO_LONG);
  } catch (err) {
    log.error({ err, callId, agentId }, 'the assistant of a dial could not be prepared');
  }
  return undefined;
}
