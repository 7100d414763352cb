import type { Load } from './load.ts';
import type { Seen, Verdict } from './verdict.ts';

type Results = {
  steady: Load;
  rolled: Load;
  seen: Seen;
  verdict: Verdict;
  campaign: { completed_calls: number; successful_calls: number };
};

/** Prints figures and bars, and what missed one. True: all are met. */
export function report({ steady, rolled, seen, verdict, campaign }: Results): boolean {
  const loads = [steady, rolled];
  const failures = loads.flatMap((load) => load.failures);
  const sent = steady.sent + rolled.sent;
  const away = failures.filter(({ status }) => status === 503).length;
  const count = (which: 'placed' | 'received' | 'joined'): number =>
    loads.reduce((sum, load) => sum + load[which].length, 0);
  const inAll = seen.expected.length;
  const dialled = inAll - count('placed') - count('received') - count('joined');
  const { completed, changedHands, lost, cut, dialledTwice, delivered, missing, repeated } = verdict;

  console.log(`requests  ${sent} sent, ${failures.length} failed, ${away} of them by 503`);
  console.log(
    `calls     ${inAll} begun (${count('placed')} placed, ${dialled} by the campaign, ${count('received')} came in, ${count('joined')} on the web), ` +
      `${completed} completed, ${changedHands} of them changed hands, ${lost.length} lost`,
  );
  console.log(
    `webhooks  ${delivered} of ${inAll * 3} delivered, ${missing} missing, ${repeated.length} calls out of order`,
  );
  for (const { at, request, status, was } of failures.slice(0, 20)) {
    console.log(`  ${at} ${request}: ${status ?? 'no answer'} ${was}`);
  }
  const bars: [string, number][] = [
    ['no request failed', failures.length],
    ['no call was lost', lost.length],
    ['calls went on with another worker', changedHands > 0 || process.env.ONLY ? 0 : 1],
    ['none was cut short', cut.length],
    ['none was dialled twice', dialledTwice.length],
    ['each told its three events', missing],
    ['each once and in order', repeated.length],
    ['the campaign counts each of its own once', Math.abs(dialled - campaign.successful_calls)],
  ];
  for (const [what, missed] of bars) {
    console.log(`bar: ${what}: ${missed === 0 ? 'met' : `MISSED by ${missed}`}`);
  }
  for (const id of [...new Set([...lost, ...cut, ...dialledTwice, ...repeated])].slice(0, 10)) {
    const row = seen.calls.find((call) => call.id === id);
    console.log(`  ${id} ${JSON.stringify(row)} ${seen.events.get(id)?.join() ?? 'told nothing'}`);
  }
  return inAll > 0 && bars.every(([, missed]) => missed === 0);
}
