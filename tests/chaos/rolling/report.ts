import type { Load } from './load.ts';
import type { Seen, Verdict } from './verdict.ts';

type Results = {
  steady: Load;
  rolled: Load;
  seen: Seen;
  verdict: Verdict;
  campaign: { completed_calls: number; successful_calls: number };
};

/** Prints figures, bars, and the calls that missed one; returns whether all bars are met. */
export function report({ steady, rolled, seen, verdict, campaign }: Results): boolean {
  const loads = [steady, rolled];
  const failures = loads.flatMap((load) => load.failures);
  const sent = steady.sent + rolled.sent;
  const unavailable = failures.filter(({ status }) => status === 503).length;
  const count = (which: 'placed' | 'received' | 'joined'): number =>
    loads.reduce((sum, load) => sum + load[which].length, 0);
  const total = seen.expected.length;
  const dialed = total - count('placed') - count('received') - count('joined');
  const { completed, takenOver, lost, cut, dialedTwice, delivered, missing, repeated } = verdict;

  console.log(`requests  ${sent} sent, ${failures.length} failed, ${unavailable} of them with a 503`);
  console.log(
    `calls     ${total} begun (${count('placed')} placed, ${dialed} by the campaign, ${count('received')} inbound, ${count('joined')} web), ` +
      `${completed} completed, ${takenOver} of them taken over, ${lost.length} lost`,
  );
  console.log(
    `webhooks  ${delivered} of ${total * 3} delivered, ${missing} missing, ${repeated.length} calls out of order`,
  );
  for (const { at, request, status, error } of failures.slice(0, 20)) {
    console.log(`  ${at} ${request}: ${status ?? 'no answer'} ${error}`);
  }
  const bars: [string, number][] = [
    ['no request failed', failures.length],
    ['no call error lost', lost.length],
    ['calls were taken over by another worker', takenOver > 0 || process.env.ONLY ? 0 : 1],
    ['none error cut short', cut.length],
    ['none error dialed twice', dialedTwice.length],
    ['the three events of each call were delivered', missing],
    ['each event once and in order', repeated.length],
    ['the campaign counted each of its calls once', Math.abs(dialed - campaign.successful_calls)],
  ];
  for (const [what, missed] of bars) {
    console.log(`bar: ${what}: ${missed === 0 ? 'met' : `MISSED by ${missed}`}`);
  }
  for (const id of [...new Set([...lost, ...cut, ...dialedTwice, ...repeated])].slice(0, 10)) {
    const row = seen.calls.find((call) => call.id === id);
    console.log(`  ${id} ${JSON.stringify(row)} ${seen.events.get(id)?.join() ?? 'no events'}`);
  }
  return total > 0 && bars.every(([, missed]) => missed === 0);
}
