import type { AssistantSnapshot } from '@parley/contracts';
import type { Clock } from '@parley/kit/time';
import { prepareAssistant } from '../assistants/prepare-prompt.ts';
import type { SnapshotArchive } from '../assistants/snapshot-ports.ts';
import type { TimelineEvent } from '../calls/timeline/timeline-event.ts';
import type { AssistantSnapshots } from '../clients/ports.ts';
import type { PhoneNumber } from '../numbers/phone-number.ts';
import { type Call, NO_AGENT_ID } from '../sessions/call.ts';
import type { Decision } from '../sessions/call-session.ts';
import type { Owner } from '../sessions/ports.ts';
import type { SessionLife } from '../sessions/session-life.ts';
import type { InboundCalls, InboundNumbers } from './ports.ts';
import type { WebhookVerdict } from './read-webhook-answer.ts';
import type { InboundWebhook } from './send-inbound-webhook.ts';

export type DecideDeps = {
  numbers: Pick<InboundNumbers, 'findById'>;
  sendInboundWebhook: (question: InboundWebhook, signal: AbortSignal) => Promise<WebhookVerdict>;
  snapshots: AssistantSnapshots;
  archive: SnapshotArchive;
  calls: Pick<InboundCalls, 'selectAssistant' | 'note'>;
  owner: Owner;
  clock: Clock;
};

type Read = (agentId: string) => Promise<AssistantSnapshot | null | undefined>;

/** The decision of the inbound webhook. */
type Choice = {
  entry: Extract<TimelineEvent, { type: 'inbound_webhook' }>['detail'] | null;
  isRejected: boolean;
  chosen: AssistantSnapshot | null;
  variables: Record<string, unknown>;
};

const NO_CHOICE: Choice = { entry: null, isRejected: false, chosen: null, variables: {} };

/**
 * Selects the assistant of a ringing call: the choice of the number's inbound webhook, otherwise the number's own assistant;
 * without either the call is rejected [calls.15] [calls.16]. The selection is committed before the call is answered, so that a
 * worker that takes the call over does not repeat it. Failed requests are retried while the call rings; undefined if it stops
 * ringing, or another worker holds it.
 */
export async function decideAnswer(
  deps: DecideDeps,
  call: Call,
  life: SessionLife,
): Promise<Decision | undefined> {
  const { numbers, snapshots, archive, calls, owner, clock } = deps;
  const { phoneNumberId } = call;
  const number =
    phoneNumberId && (await life.retryUntilDone('number', () => numbers.findById(phoneNumberId)));
  const own = number ? number.inboundAgentId : call.agentId;
  const agentId = own === NO_AGENT_ID ? null : own;
  const read: Read = (id) => life.retryUntilDone('assistant', () => snapshots.get(call.workspaceId, id));
  const choice = number ? await callNumberWebhook(deps, { call, number, read, life }) : NO_CHOICE;
  if (life.signal.aborted) return undefined;
  const { entry, isRejected, chosen } = choice;
  const timeline: TimelineEvent[] = entry
    ? [{ at: clock.now(), type: 'inbound_webhook', detail: entry }]
    : [];
  const snapshot = isRejected ? null : (chosen ?? (agentId && (await read(agentId))));
  if (snapshot === undefined) return undefined;
  if (!snapshot) {
    const isOurs = await life.retryUntilDone('note', () => calls.note(owner, call, timeline));
    return isOurs ? { type: 'reject', cause: isRejected ? 'rejected' : 'no_assistant' } : undefined;
  }
  const dynamicVariables = { ...call.dynamicVariables, ...choice.variables };
  const assistant = prepareAssistant(snapshot, dynamicVariables);
  if (assistant.isTooLong) {
    const isOurs = await life.retryUntilDone('note', () => calls.note(owner, call, timeline));
    return isOurs ? { type: 'reject', cause: 'texts_too_long' } : undefined;
  }
  const selected = {
    agentId: snapshot.agent_id,
    agentVersion: snapshot.version,
    agentWebhookUrl: snapshot.webhook_url,
  };
  const selection = {
    ...selected,
    addedVariables: choice.variables,
    unresolvedPlaceholders: assistant.unresolved,
  };
  const isOurs = await life.retryUntilDone('select assistant', async () => {
    await archive.keep(snapshot);
    return calls.selectAssistant(owner, call, selection, timeline);
  });
  return isOurs ? { type: 'answer', selected: { ...selected, dynamicVariables }, assistant } : undefined;
}

type Ring = { call: Call; number: PhoneNumber; read: Read; life: SessionLife };

/** Calls the number's webhook, if it has one; an invalid response is ignored as a whole. */
async function callNumberWebhook(
  { sendInboundWebhook }: DecideDeps,
  { call, number, read, life }: Ring,
): Promise<Choice> {
  const { inboundWebhookUrl: url, inboundAgentId: agentId } = number;
  if (!url) return NO_CHOICE;
  const verdict = await sendInboundWebhook({ call, url, agentId }, life.signal);
  const { status } = verdict;
  if (verdict.outcome !== 'answered') {
    const { outcome, error } = verdict;
    return { ...NO_CHOICE, entry: { outcome, status, error, agent_id: null } };
  }
  const { agentId: chosenId, dynamicVariables: variables, reject: isRejected } = verdict.answer;
  const chosen = chosenId === null || isRejected ? null : await read(chosenId);
  if (chosenId !== null && !isRejected && !chosen) {
    const error = 'its agent_id is not an assistant of this workspace';
    return { ...NO_CHOICE, entry: { outcome: 'ignored', status, error, agent_id: null } };
  }
  const outcome = isRejected ? ('rejected' as const) : ('used' as const);
  const entry = { outcome, status, error: null, agent_id: chosen ? chosenId : null };
  return { entry, isRejected, chosen: chosen ?? null, variables };
}
