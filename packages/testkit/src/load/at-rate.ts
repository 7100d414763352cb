import { setTimeout as sleep } from 'node:timers/promises';
import { type Latencies, summarize } from './latencies.ts';

type Rate = { ratePerSecond: number; seconds: number };

/** `timesAtRate`, as p50 and p99. */
export async function atRate(rate: Rate, send: (n: number) => Promise<void>): Promise<Latencies> {
  const start = performance.now();
  const times = await timesAtRate(rate, send);
  return summarize((times.length * 1000) / (performance.now() - start), times);
}

/**
 * Sends requests at a constant rate, without waiting for responses; measures each in milliseconds from the time at which it was due.
 * Rejects with the first failure once all have ended.
 */
export async function timesAtRate(
  { ratePerSecond, seconds }: Rate,
  send: (n: number) => Promise<void>,
): Promise<number[]> {
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
  const times = await Promise.all(sending);
  if (failures.length > 0) throw failures[0];
  return times;
}
