import type { Explanation, Obstacle } from '@parley/contracts';
import type { Campaign } from './campaign.ts';
import type { DialConditions, WaitingContacts } from './ports.ts';

export type Facts = {
  campaign: Campaign;
  at: Date;
  isOpen: boolean;
  /** Null where none is in sight. */
  nextOpeningAt: Date | null;
  contacts: WaitingContacts;
  /** What telephony says of the number; or why it says nothing. */
  conditions: DialConditions | 'unreachable' | 'deleted';
  isAssistantAway: boolean;
  isBrokerAway: boolean;
};

type Reason = Explanation['reasons'][number];

/** Slots nearer than this are a number that dials at its pace, and not one that waits for it (stack ms). */
const A_WAIT_MS = 1_000;

/** D7.7: why nothing is being dialled, what weighs most first; never empty. */
export function reasonsOf(facts: Facts): Reason[] {
  const standing = byStatus(facts);
  if (standing) return [standing, ...callsUnderWay(facts)];
  const inTheWay = [...byNumber(facts), ...byContacts(facts)];
  const due = many(dueOf(facts), 'contact is', 'contacts are');
  return inTheWay.length > 0
    ? inTheWay
    : [reason('dialling', `Nothing stands in the way: ${due} to be called.`)];
}

/** What keeps a campaign from dialling at all. */
function byStatus({ campaign, isOpen, nextOpeningAt }: Facts): Reason | undefined {
  switch (campaign.status) {
    case 'draft':
      return reason('draft', 'The campaign is a draft: resume it to start dialling.');
    case 'scheduled':
      return reason('scheduled', `The campaign starts at ${iso(campaign.scheduledAt)}.`);
    case 'paused':
      return reason('paused', 'The campaign is paused: resume it to go on.');
    case 'completed':
      return reason('completed', 'The campaign is completed: every contact has its outcome.');
    case 'cancelled':
      return reason('cancelled', 'The campaign was cancelled: nobody is called any more.');
    default:
      return isOpen ? undefined : reason('hours_closed', closed(campaign, nextOpeningAt));
  }
}

function closed({ businessHours }: Campaign, nextOpeningAt: Date | null): string {
  const zone = businessHours?.tz ?? 'UTC';
  if (nextOpeningAt) return `Its business hours (${zone}) are closed until ${iso(nextOpeningAt)}.`;
  return `Its business hours are closed, and no opening is in sight; is ${zone} a zone that this server knows?`;
}

function byNumber(facts: Facts): Reason[] {
  const { campaign, at, conditions, isAssistantAway, isBrokerAway } = facts;
  const reasons: Reason[] = [];
  const say = (code: Obstacle, message: string): void => void reasons.push(reason(code, message));
  if (campaign.withdrawalOwed) {
    say('withdrawal_under_way', 'Dials that were asked for before it was paused are still being taken back.');
  }
  if (isBrokerAway) {
    say('broker_unreachable', 'Telephony cannot be told of new dials right now: the message broker is away.');
  }
  if (conditions === 'unreachable') {
    say('telephony_unreachable', 'Telephony cannot be asked right now, so that nobody can be dialled.');
    return reasons;
  }
  if (conditions === 'deleted') {
    say('number_deleted', 'The number that it dials from was deleted.');
    return reasons;
  }
  const { phoneNumber, circuit, maxCps, nextDialAt, live, mostLive } = conditions;
  if (!conditions.isActive) say('number_inactive', `${phoneNumber} is switched off by the operator.`);
  if (conditions.callWorkers === 0) say('no_call_worker', 'No process that dials calls is running.');
  if (isAssistantAway) {
    const message =
      'The assistant cannot be asked for right now: dials wait, unless telephony has it at hand.';
    say('assistant_unreachable', message);
  }
  if (mostLive === null) {
    const message =
      'How many calls the workspace may have at once cannot be asked right now: dials may wait for it.';
    say('limits_unreachable', message);
  }
  if (circuit.state !== 'closed') {
    const next = circuit.next_probe_at
      ? `one is tried at ${circuit.next_probe_at}`
      : 'one is being tried right now';
    const failed = `The carrier failed ${many(circuit.failures_in_a_row, 'dial', 'dials')} in a row from ${phoneNumber}`;
    say('circuit_open', `${failed}: attempts wait, and ${next}.`);
  }
  // What passes by itself is in nobody's way while nobody is due.
  if (dueOf(facts) === 0) return reasons;
  if (mostLive !== null && live >= mostLive) {
    say(
      'concurrency_full',
      `${live} of ${mostLive} calls of the workspace are up: the next waits for one to end.`,
    );
  }
  if (nextDialAt.getTime() - at.getTime() >= A_WAIT_MS) {
    const apart =
      maxCps < 1 ? `one call in ${Number((1 / maxCps).toFixed(1))} seconds` : `${maxCps} calls a second`;
    say('pace', `${phoneNumber} dials at most ${apart}: its next slot is at ${iso(nextDialAt)}.`);
  }
  return reasons;
}

/** Nobody is due: either all wait for their next attempt, or all are being called. */
function byContacts(facts: Facts): Reason[] {
  const { retryLater, nextRetryAt } = facts.contacts;
  if (dueOf(facts) > 0) return [];
  const later = `${many(retryLater, 'contact waits', 'contacts wait')} for another attempt, the next at ${iso(nextRetryAt)}.`;
  return [...(retryLater > 0 ? [reason('waiting_for_retries', later)] : []), ...callsUnderWay(facts)];
}

/** Contacts that are to be called now. */
function dueOf({ contacts: { pending, retryDue, requested } }: Facts): number {
  return pending + retryDue + requested;
}

function callsUnderWay({ contacts: { dialing, inProgress } }: Facts): Reason[] {
  const calls = dialing + inProgress;
  return calls > 0 ? [reason('calls_under_way', `${many(calls, 'call is', 'calls are')} under way.`)] : [];
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
