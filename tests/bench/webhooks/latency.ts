import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { testBus } from '@parley/testkit';
import { fakeCall } from '@parley/testkit/fakes';
import { type Latencies, summarize } from '@parley/testkit/load';
import { emptyQueue } from './empty-queue.ts';
import type { Stage } from './stage.ts';

const WITHIN_MS = 30_000;

export type FirstAttempts = Latencies & { missing: number };

/**
 * Publishes `call.started` of new calls at a steady rate, with an otherwise empty queue. The latency is from the time in the
 * event's row, taken just before the commit, to the first attempt.
 */
export async function measureLatency(
  { sql, prefix }: Stage,
  ports: readonly number[],
  ratePerSecond: number,
  seconds: number,
  lifecycle: Lifecycle,
): Promise<FirstAttempts> {
  await emptyQueue(sql);
  const bus = await testBus(prefix);
  lifecycle.onStop('bus', bus.close);
  const workspaceId = crypto.randomUUID();
  const agents = ports.map(() => crypto.randomUUID());
  const total = ratePerSecond * seconds;
  const publications: Promise<unknown>[] = [];
  const beganMs = performance.now();
  for (let sent = 0; sent < total; await sleep(5)) {
    const due = Math.min(total, Math.ceil(((performance.now() - beganMs) / 1000) * ratePerSecond));
    for (; sent < due; sent += 1) {
      const index = sent % ports.length;
      const call = fakeCall(`http://127.0.0.1:${ports[index]}/answers`, new Date(), agents[index]);
      publications.push(bus.publish('call.started', workspaceId, call.started));
    }
  }
  await Promise.all(publications);
  const find = () =>
    sql.$queryRaw<
      { latency_ms: number }[]
    >`SELECT extract(epoch FROM a.started_at - e.created_at)::float8 * 1000 AS latency_ms
       FROM events e JOIN attempts a ON a.event_id = e.id WHERE e.workspace_id = ${workspaceId}::uuid AND a.attempt = 1`;
  const giveUpMs = performance.now() + WITHIN_MS;
  let rows = await find();
  for (; rows.length < total && performance.now() < giveUpMs; rows = await find()) await sleep(500);
  const latencies = summarize(
    ratePerSecond,
    rows.map(({ latency_ms }) => latency_ms),
  );
  return { ...latencies, missing: total - rows.length };
}
