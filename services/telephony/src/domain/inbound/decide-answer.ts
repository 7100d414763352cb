import type { AssistantSnapshot } from '@parley/contracts';
import type { Clock } from '@parley/kit/time';
import type { Call } from '../calls/call.ts';
import type { RejectionCause } from '../calls/judge-end.ts';
import type { Owner } from '../calls/ports.ts';
import type { SessionLife } from '../calls/session-life.ts';
import type { SnapshotArchive } from '../conversation/ports.ts';
import { type PreparedAssistant, prepareAssistant } from '../conversation/prepare-prompt.ts';
import type { PhoneNumber } from '../numbers/phone-number.ts';
import type { AssistantSnapshots } from '../ports.ts';
import type { Happening } from '../timeline/happening.ts';
import type { WebhookQuestion } from './ask-webhook.ts';
import { NO_AGENT } from './nobody.ts';
import type { InboundCalls, InboundNumbers } from './ports.ts';
import type { WebhookVerdict } from './read-webhook-answer.ts';

export type DecideDeps = {
  numbers: Pick<InboundNumbers, 'findById'>;
  askWebhook: (question: WebhookQuestion, signal: AbortSignal) => Promise<WebhookVerdict>;
  snapshots: AssistantSnapshots;
  archive: SnapshotArchive;
  calls: Pick<InboundCalls, 'settle' | 'note'>;
  owner: Owner;
  clock: Clock;
};

export type Decision =
  | { type: 'reject'; cause: RejectionCause }
  | { type: 'answer'; call: Call; assistant: PreparedAssistant };

/**
 * Who answers a call that rings: whom the number's inbound webhook chooses, else the number's own assistant; without any
 * the call is turned away (D6.11). What can't be asked is asked again for as long as it rings; undefined: it rings no
 * more, or is another worker's.
 */
export async function decideAnswer(
  deps: DecideDeps,
  call: Call,
  life: SessionLife,
): Promise<Decision | undefined> {
  const { numbers, calls, owner, clock } = deps;
  const { phoneNumberId } = call;
  const number = phoneNumberId && (await life.insist('number', () => numbers.findById(phoneNumberId)));
  const own = number ? number.inboundAgentId : call.agentId;
  const read = (agentId: string) =>
    life.insist('assistant', () => deps.snapshots.get(call.workspaceId, agentId));
  const heard = number ? await hear(deps, { call, number, read, life }) : NOTHING_HEARD;
  if (life.signal.aborted) return undefined;
  const happenings = heard.told
    ? [{ at: clock.now(), type: 'inbound_webhook' as const, detail: heard.told }]
    : [];
  const agentId = own === NO_AGENT ? null : own;
  const snapshot = heard.isRejected ? null : (heard.chosen ?? (agentId && (await read(agentId))));
  if (snapshot === undefined) return undefined;
  if (!snapshot) {
    const isOurs = await life.insist('note', () => calls.note(owner, call, happenings));
    const cause = heard.isRejected ? 'rejected' : 'no_assistant';
    return isOurs ? { type: 'reject', cause } : undefined;
  }
  return answerWith(deps, {
    call,
    snapshot,
    variables: { ...call.dynamicVariables, ...heard.variables },
    happenings,
    life,
  });
}

type Heard = {
  told: Extract<Happening, { type: 'inbound_webhook' }>['detail'] | null;
  isRejected: boolean;
  chosen: AssistantSnapshot | null;
  variables: Record<string, unknown>;
};

const NOTHING_HEARD: Heard = { told: null, isRejected: false, chosen: null, variables: {} };

type Scene = {
  call: Call;
  number: PhoneNumber;
  read: (agentId: string) => Promise<AssistantSnapshot | null | undefined>;
  life: SessionLife;
};

/** Asks the webhook, if there is one; a bad answer is ignored as a whole. */
async function hear({ askWebhook }: DecideDeps, { call, number, read, life }: Scene): Promise<Heard> {
  const { inboundWebhookUrl: url, inboundAgentId: agentId } = number;
  if (!url) return NOTHING_HEARD;
  const verdict = await askWebhook({ call, url, agentId }, life.signal);
  const { status } = verdict;
  if (verdict.outcome !== 'answered') {
    const { outcome, error } = verdict;
    return { ...NOTHING_HEARD, told: { outcome, status, error, agent_id: null } };
  }
  const { agentId: chosenId, dynamicVariables: variables, reject: isRejected } = verdict.answer;
  const chosen = chosenId === null || isRejected ? null : await read(chosenId);
  if (chosenId !== null && !isRejected && !chosen) {
    const error = 'its agent_id is no assistant of this workspace';
    return { ...NOTHING_HEARD, told: { outcome: 'ignored', status, error, agent_id: null } };
  }
  const outcome = isRejected ? ('rejected' as const) : ('used' as const);
  const told = { outcome, status, error: null, agent_id: chosen ? chosenId : null };
  return { told, isRejected, chosen: chosen ?? null, variables };
}

type Answer = {
  call: Call;
  snapshot: AssistantSnapshot;
  variables: Record<string, unknown>;
  happenings: readonly Happening[];
  life: SessionLife;
};

/** Written before anybody picks up: whoever takes the call over asks nobody again. */
async function answerWith(
  { archive, calls, owner }: DecideDeps,
  { call, snapshot, variables, happenings, life }: Answer,
): Promise<Decision | undefined> {
  const assistant = prepareAssistant(snapshot, variables);
  const answerer = {
    agentId: snapshot.agent_id,
    agentVersion: snapshot.version,
    agentWebhookUrl: snapshot.webhook_url,
    dynamicVariables: variables,
    unresolvedPlaceholders: assistant.unresolved,
  };
  const isOurs = await life.insist('settle', async () => {
    await archive.keep(snapshot);
    return calls.settle(owner, call, answerer, happenings);
  });
  if (!isOurs) return undefined;
  const { unresolvedPlaceholders, ...settled } = answerer;
  return { type: 'answer', call: { ...call, ...settled }, assistant };
}
