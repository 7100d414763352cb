import type { Explanation, Obstacle } from '@parley/contracts';
import type { Campaign } from '../campaigns/campaign.ts';
import type { DialConditions } from '../clients/telephony.ts';
import type { WaitingContacts } from './waiting-contacts.store.ts';

export type Facts = {
  campaign: Campaign;
  at: Date;
  isOpen: boolean;
  /** Null without one within two weeks. */
  nextOpeningAt: Date | null;
  contacts: WaitingContacts;
  /** Telephony's conditions of the number, or the reason why there are none. */
  conditions: DialConditions | 'unreachable' | 'deleted';
  isAssistantUnavailable: boolean;
  isBrokerUnavailable: boolean;
};

type Reason = Explanation['reasons'][number];

/** A slot within this time is the normal pace and not a reason (stack time). */
const MIN_PACE_WAIT_MS = 1_000;

/** Why nothing is being dialed, the most important reason first; never empty [campaigns.18]. */
export function reasonsOf(facts: Facts): Reason[] {
  const status = byStatus(facts);
  if (status) return [status, ...callsUnderWay(facts)];
  const obstacles = [...byNumber(facts), ...byContacts(facts)];
  const due = many(dueOf(facts), 'contact is', 'contacts are');
  return obstacles.length > 0
    ? obstacles
    : [reason('dialling', `Nothing prevents dialing: ${due} to be called.`)];
}

/** A status in which nothing is dialed. */
function byStatus({ campaign, isOpen, nextOpeningAt }: Facts): Reason | undefined {
  switch (campaign.status) {
    case 'draft':
      return reason('draft', 'The campaign is a draft: resume it to start dialing.');
    case 'scheduled':
      return reason('scheduled', `The campaign starts at ${iso(campaign.scheduledAt)}.`);
    case 'paused':
      return reason('paused', 'The campaign is paused: resume it to continue.');
    case 'completed':
      return reason('completed', 'The campaign is completed: every contact has its outcome.');
    case 'cancelled':
      return reason('cancelled', 'The campaign was cancelled: its contacts are no longer called.');
    default:
      return isOpen ? undefined : reason('hours_closed', closed(campaign, nextOpeningAt));
  }
}

function closed({ businessHours }: Campaign, nextOpeningAt: Date | null): string {
  const zone = businessHours?.tz ?? 'UTC';
  if (nextOpeningAt) return `Its business hours (${zone}) are closed until ${iso(nextOpeningAt)}.`;
  return `Its business hours are closed, and no opening was found: check that ${zone} is a time zone known to this server.`;
}

function byNumber(facts: Facts): Reason[] {
  const { campaign, at, conditions, isAssistantUnavailable, isBrokerUnavailable } = facts;
  const reasons: Reason[] = [];
  const add = (code: Obstacle, message: string): void => void reasons.push(reason(code, message));
  if (campaign.withdrawalPending) {
    add('withdrawal_pending', 'Dials requested before the pause are still being withdrawn.');
  }
  if (isBrokerUnavailable) {
    add('broker_unreachable', 'New dials cannot be requested right now: the message broker is unavailable.');
  }
  if (conditions === 'unreachable') {
    add('telephony_unreachable', 'Telephony is unavailable right now, so nothing can be dialed.');
    return reasons;
  }
  if (conditions === 'deleted') {
    add('number_deleted', 'Its phone number was deleted.');
    return reasons;
  }
  const { phoneNumber, circuit, maxCps, nextDialAt, live, maxLive } = conditions;
  if (conditions.isSuspended) {
    add(
      'workspace_suspended',
      'The workspace is suspended by the operator: nothing is dialed until it is resumed.',
    );
  }
  if (!conditions.isActive) add('number_inactive', `${phoneNumber} was deactivated by the operator.`);
  if (conditions.callWorkers === 0) add('no_call_worker', 'No call worker is running.');
  if (isAssistantUnavailable) {
    const message =
      'The assistants service is unavailable right now: dials wait, unless telephony has the assistant cached.';
    add('assistant_unreachable', message);
  }
  if (maxLive === null) {
    const message =
      'The maximum of concurrent calls of the workspace is unknown right now: dials may wait for it.';
    add('limits_unreachable', message);
  }
  if (circuit.state !== 'closed') {
    const next = circuit.next_probe_at
      ? `one is tried at ${circuit.next_probe_at}`
      : 'one is being tried right now';
    const failed = `The carrier failed ${many(circuit.failures_in_a_row, 'consecutive dial', 'consecutive dials')} from ${phoneNumber}`;
    add('circuit_open', `${failed}: attempts wait, and ${next}.`);
  }
  const { notAllowed } = facts.contacts;
  if (notAllowed > 0) {
    const waiting = many(notAllowed, 'contact waits', 'contacts wait');
    const allowed = conditions.allowedDestinations.join(', ') || 'any';
    add(
      'destination_not_allowed',
      `${waiting} because their numbers were not in the workspace's allowed destinations (now: ${allowed}); each is tried again ` +
        'every hour.',
    );
  }
  // Temporary conditions matter only while a contact is due.
  if (dueOf(facts) === 0) return reasons;
  if (conditions.spend?.isExhausted) {
    const { spentCents, limitCents } = conditions.spend;
    add(
      'daily_spend_limit',
      `The workspace has reached its daily spending limit: ${spentCents} of ${limitCents} cents are spent today, and a minute of ` +
        'each live call is reserved. Dialing continues when the limit is raised, when a live call ends below its reservation, or at midnight UTC.',
    );
  }
  if (maxLive !== null && live >= maxLive) {
    add(
      'concurrency_full',
      `${live} of ${maxLive} concurrent calls of the workspace are live: the next dial waits until one ends.`,
    );
  }
  if (nextDialAt.getTime() - at.getTime() >= MIN_PACE_WAIT_MS) {
    const apart =
      maxCps < 1 ? `one call in ${Number((1 / maxCps).toFixed(1))} seconds` : `${maxCps} calls per second`;
    add('pace', `${phoneNumber} dials at most ${apart}: its next slot is at ${iso(nextDialAt)}.`);
  }
  return reasons;
}

/** No contact is due: they wait for their next attempt, or are being called. */
function byContacts(facts: Facts): Reason[] {
  const { retryLater, nextRetryAt } = facts.contacts;
  if (dueOf(facts) > 0) return [];
  const later = `${many(retryLater, 'contact waits', 'contacts wait')} for another attempt, the next at ${iso(nextRetryAt)}.`;
  return [...(retryLater > 0 ? [reason('waiting_for_retries', later)] : []), ...callsUnderWay(facts)];
}

/** Contacts to call now. */
function dueOf({ contacts: { pending, retryDue, requested } }: Facts): number {
  return pending + retryDue + requested;
}

function callsUnderWay({ contacts: { dialing, inProgress } }: Facts): Reason[] {
  const calls = dialing + inProgress;
  return calls > 0
    ? [reason('calls_in_progress', `${many(calls, 'call is', 'calls are')} in progress.`)]
    : [];
}

function reason(code: Obstacle, message: string): Reason {
  return { code, message };
}

function many(count: number, one: string, more: string): string {
  return `${count} ${count === 1 ? one : more}`;
}

function iso(at: Date | null): string {
  return at?.toISOString() ?? 'a time that is not known yet';
}
