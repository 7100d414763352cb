import { WEBHOOK_EVENTS } from '@parley/contracts';
import { type Deliveries, expectedEvents } from './deliveries.ts';
import type { PersonResult, Results } from './results.ts';
import type { Call } from './single-call.ts';

type Received = {
  deliveries: Pick<Deliveries, 'ofCall' | 'unsigned'>;
  toolRequests: { all: number; signed: number };
};

/** One sentence for each expected result that is missing; empty on success. */
export function findGaps(results: Results, { deliveries, toolRequests }: Received): string[] {
  const unsigned = deliveries.unsigned();
  return [
    ...campaignGaps(results),
    ...results.people.flatMap(personGaps),
    ...results.calls.flatMap((call) => callGaps(call, deliveries)),
    ...(unsigned > 0 ? [`${unsigned} webhooks had no valid signature.`] : []),
    ...(toolRequests.all === 0 ? ['The tool was never called.'] : []),
    ...(toolRequests.signed < toolRequests.all
      ? [`${toolRequests.all - toolRequests.signed} requests to the tool had no valid signature.`]
      : []),
  ];
}

function campaignGaps({ campaign, people }: Results): string[] {
  const { status, total_contacts, completed_calls, successful_calls, failed_calls } = campaign;
  const withStatus = (wanted: string) => people.filter(({ contact }) => contact?.status === wanted).length;
  const counters: [string, number, number][] = [
    ['total_contacts', total_contacts, people.length],
    ['completed_calls', completed_calls, people.length],
    ['successful_calls', successful_calls, withStatus('succeeded')],
    ['failed_calls', failed_calls, withStatus('failed')],
  ];
  return [
    ...(status === 'completed' ? [] : [`The campaign is ${status}, not completed.`]),
    ...counters
      .filter(([, is, should]) => is !== should)
      .map(([name, is, should]) => `The campaign's ${name} is ${is}, and should be ${should}.`),
  ];
}

function personGaps({ person, contact, calls }: PersonResult): string[] {
  const who = `${person.phoneNumber} (${person.story})`;
  if (!contact) return [`${who} is not among the contacts.`];
  const { status, last_outcome, attempts } = contact;
  const isAsExpected = status === person.status && person.outcomes.includes(last_outcome ?? '');
  const outcome = `${status} with ${last_outcome ?? 'no outcome'} after ${times(attempts)}`;
  const wanted = `${person.status} with ${person.outcomes.join(' or ')} after ${times(person.attempts)}`;
  return [
    ...(isAsExpected && attempts === person.attempts ? [] : [`${who}: ${outcome}, and should be ${wanted}.`]),
    ...(calls.length === attempts ? [] : [`${who}: ${calls.length} calls for ${times(attempts)}.`]),
  ];
}

function callGaps(call: Call, deliveries: Received['deliveries']): string[] {
  const who = `Call ${call.id} to ${call.to_number}`;
  const wanted = expectedEvents(call);
  const arrived = deliveries.ofCall(call.id);
  const missing = wanted.filter((event) => !arrived.includes(event));
  const foreign = WEBHOOK_EVENTS.filter((event) => arrived.includes(event) && !wanted.includes(event));
  const repeated = arrived.length > new Set(arrived).size;
  const isOrdered = arrived.every(
    (event, i) => wanted.indexOf(event) >= wanted.indexOf(arrived[i - 1] ?? event),
  );
  return [
    ...(call.status === 'completed' ? [] : [`${who} is ${call.status}, not completed.`]),
    ...(call.answered_at && call.summary === null ? [`${who} has no summary.`] : []),
    ...missing.map((event) => `${who}: ${event} has not arrived.`),
    ...foreign.map((event) => `${who} was not answered, but sent ${event}.`),
    ...(repeated ? [`${who} sent the same event under two ids: ${arrived.join(', ')}.`] : []),
    ...(isOrdered ? [] : [`${who}: events out of order: ${arrived.join(', ')}.`]),
  ];
}

const times = (attempts: number): string => (attempts === 1 ? '1 attempt' : `${attempts} attempts`);
