import { setTimeout as sleep } from 'node:timers/promises';
import { type Latencies, summarize } from '@parley/testkit/load';
import { machineMs } from './consumer.ts';

export type Load = {
  ratePerSecond: number;
  seconds: number;
  /** Sends a message; resolves to its id and the start of its latency. */
  send: () => Promise<{ id: string; sentMs: number }>;
  /** Arrival times by message id; the caller fills it. */
  arrivals: ReadonlyMap<string, number>;
};

const ARRIVE_WITHIN_MS = 10_000;

/** Sends at a steady rate, without waiting for earlier messages, then waits until all have arrived. */
export async function measure({ ratePerSecond, seconds, send, arrivals }: Load): Promise<Latencies> {
  const startMs = machineMs();
  const total = ratePerSecond * seconds;
  const sending: ReturnType<Load['send']>[] = [];
  while (sending.length < total) {
    const due = Math.min(total, Math.ceil(((machineMs() - startMs) / 1000) * ratePerSecond));
    while (sending.length < due) sending.push(send());
    await sleep(1);
  }
  const sent = await Promise.all(sending);
  const tookSeconds = (Math.max(...sent.map(({ sentMs }) => sentMs)) - startMs) / 1000;
  await allArrived(sent, arrivals);
  // The handler may start before the sender knows that its commit succeeded.
  const latencies = sent.map(({ id, sentMs }) => Math.max(0, (arrivals.get(id) ?? Number.NaN) - sentMs));
  return summarize(total / tookSeconds, latencies);
}

async function allArrived(sent: { id: string }[], arrivals: ReadonlyMap<string, number>): Promise<void> {
  const endsAtMs = machineMs() + ARRIVE_WITHIN_MS;
  while (!sent.every(({ id }) => arrivals.has(id))) {
    if (machineMs() > endsAtMs) {
      const missing = sent.filter(({ id }) => !arrivals.has(id)).length;
      throw new Error(`${missing} of ${sent.length} messages never arrived`);
    }
    await sleep(50);
  }
}
