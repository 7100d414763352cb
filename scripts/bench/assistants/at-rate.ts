import { setTimeout as sleep } from 'node:timers/promises';
import { type Latencies, summarise } from '../latencies.ts';

/**
 * Sends at an even rate, whether or not the earlier ones are answered; times each from when it was due to be sent. Rejects
 * with the first failure, when all are through.
 */
export async function atRate(
  { ratePerSecond, seconds }: { ratePerSecond: number; seconds: number },
  send: (n: number) => Promise<void>,
): Promise<Latencies> {
  const total = ratePerSecond * seconds;
  const start = performance.now();
  const sending: Promise<number>[] = [];
  const failures: unknown[] = [];
  for (let n = 0; n < total; n += 1) {
    const due = start + (n * 1000) / ratePerSecond;
    await sleep(Math.max(0, due - performance.now()));
    const sent = send(n).catch((err: unknown) => failures.push(err));
    sending.push(sent.then(() => performance.now() - due));
  }
  const latencies = await Promise.all(sending);
  if (failures.length > 0) throw failures[0];
  return summarise((total * 1000) / (performance.now() - start), latencies);
}
