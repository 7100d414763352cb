import { setTimeout as sleep } from 'node:timers/promises';
import type { SqlClient } from '@parley/testkit';
import { type Latencies, summarize } from '@parley/testkit/load';
import { emptyQueue } from './empty-queue.ts';
import { addEndpoints, addEvents, type Endpoint } from './endpoints.ts';
import type { EndpointBehavior } from './receivers.ts';
import type { Stage, Usage } from './stage.ts';

export type Load = {
  ratePerSecond: number;
  seconds: number;
  ports: readonly number[];
  /** Number of endpoints with the other behavior; they own a fifth of the events. */
  troubled: number;
  manner: EndpointBehavior;
};

/** Latencies of deliveries: to all endpoints, and to those that respond in both loads. */
export type Served = { all: Latencies; healthy: Latencies; cpuMsEach: number; postgresMsEach: number };

const WORKSPACES = 10;
/** Interval at which events are added, independent of deliveries. */
const EVERY_MS = 50;
const SETTLE_MS = 2_000;

export async function runLoad({ sql }: Stage, usage: Usage, load: Load): Promise<Served> {
  const { ports, troubled, manner } = load;
  const endpoints = await addEndpoints(sql, ports, {
    workspaces: WORKSPACES,
    behaviorOf: (index) => (index < troubled ? manner : 'answers'),
  });
  const bad = endpoints.slice(0, troubled);
  const healthy = endpoints.slice(troubled);
  await emptyQueue(sql);
  const before = await usage();
  const from = new Date();
  await feed(sql, load, (index) => {
    const others = index - Math.floor(index / 5);
    return (index % 5 === 0 ? bad[(index / 5) % bad.length] : healthy[others % healthy.length]) as Endpoint;
  });
  const to = new Date();
  const after = await usage();
  await sleep(SETTLE_MS);
  const all = await measureDeliveries(sql, endpoints, [from, to]);
  const delivered = (all.ratePerSecond * (to.getTime() - from.getTime())) / 1000;
  return {
    all,
    healthy: await measureDeliveries(sql, healthy, [from, to]),
    cpuMsEach: (after.cpuMs - before.cpuMs) / delivered,
    postgresMsEach: (after.postgresMs - before.postgresMs) / delivered,
  };
}

async function feed(
  sql: SqlClient,
  { ratePerSecond, seconds }: Load,
  pick: (index: number) => Endpoint,
): Promise<void> {
  const total = ratePerSecond * seconds;
  const beganMs = performance.now();
  for (let sent = 0; sent < total; await sleep(EVERY_MS)) {
    const due = Math.min(total, Math.ceil(((performance.now() - beganMs) / 1000) * ratePerSecond));
    const from = sent;
    await addEvents(
      sql,
      Array.from({ length: due - from }, (_, index) => pick(from + index)),
    );
    sent = due;
  }
}

type Row = { latency_ms: number; done_ms: number };

/**
 * Latency from the time in the event's row to the end of the recorded attempt. Throughput counts deliveries between the two
 * times, so that a backlog is visible.
 */
async function measureDeliveries(
  sql: SqlClient,
  of: readonly Endpoint[],
  [from, to]: [Date, Date],
): Promise<Latencies> {
  const rows = await sql.$queryRaw<
    Row[]
  >`SELECT a.duration_ms + extract(epoch FROM a.started_at - e.created_at)::float8 * 1000 AS latency_ms,
       a.duration_ms + extract(epoch FROM a.started_at)::float8 * 1000 AS done_ms
     FROM events e JOIN attempts a ON a.event_id = e.id
     WHERE e.agent_id = ANY (${of.map(({ agentId }) => agentId)}::uuid[]) AND a.reason = 'delivered'`;
  const within = rows.filter(({ done_ms }) => done_ms <= to.getTime()).length;
  const latencies = rows.map(({ latency_ms }) => latency_ms);
  return summarize((within * 1000) / (to.getTime() - from.getTime()), latencies);
}
