import { setTimeout as sleep } from 'node:timers/promises';
import { type Latencies, summarise } from '@parley/testkit/load';
import { machineMs } from './consumer.ts';

export type Load = {
  ratePerSecond: number;
  seconds: number;
  /** Sends one message; resolves to its id and when it counts as said. */
  send: () => Promise<{ id: string; saidMs: number }>;
  /** When each message arrived, by id; filled from elsewhere. */
  arrivals: ReadonlyMap<string, number>;
};

const ARRIVE_WITHIN_MS = 10_000;

/** Sends at an even rate, whether or not the earlier ones are through, and waits until all have arrived. */
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
  const tookSeconds = (Math.max(...sent.map(({ saidMs }) => saidMs)) - startMs) / 1000;
  await allArrived(sent, arrivals);
  // Its handler may begin before the sender has heard of its own commit.
  const latencies = sent.map(({ id, saidMs }) => Math.max(0, (arrivals.get(id) ?? Number.NaN) - saidMs));
  return summarise(total / tookSeconds, latencies);
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
