import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { runBench, summarize, toLine } from '@parley/testkit/load';
import { hostileTools } from './calls/hostile.ts';
import { type Stage, setStage } from './calls/stage.ts';

// Dials of campaigns at a steady rate through a real call worker on the simulated carrier, in real time: each call is
// answered, talks a few turns and hangs up. Measures the latency from answer to `call.started`, and CPU and memory of the
// worker, also with hostile tools. BENCH_RATE (100 calls a second), BENCH_SECONDS (40), BENCH_WORKERS (1),
// BENCH_RECORDINGS=1 (off by default: a separate job makes them), BENCH_NODE_OPTIONS (of the workers, such as --cpu-prof).
// Requires Postgres (DATABASE_URL) and RabbitMQ (AMQP_URL); cleans up after itself.

const RATE = Number(process.env.BENCH_RATE ?? 100);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 40);
const WORKERS = Number(process.env.BENCH_WORKERS ?? 1);
const RECORDINGS = process.env.BENCH_RECORDINGS === '1';
/** A small part of the 1-2 seconds in which a receiver must get `call_started`. */
const BAR_P99_MS = 500;
/** The ending of numbers whose callee talks and hangs up, and the maximum duration of such a call. */
const TALKS = 4_242;
const CALL_SECONDS = 40;

async function bench(lifecycle: Lifecycle, log: Log): Promise<boolean> {
  const stage = await setStage({ lifecycle, log }, { rate: RATE, workers: WORKERS, recordings: RECORDINGS });
  const idleBytes = await stage.memory.now();
  const survived = await hostileTools(stage, lifecycle);
  const recordings = RECORDINGS ? 'on' : 'off';
  console.log(`${RATE} dials a second for ${SECONDS} s, ${WORKERS} worker(s), recordings ${recordings} …`);
  const { bus } = stage;
  bus.started.splice(0);
  bus.ended.clear();
  const before = await stage.processorMs();
  await load(stage);
  const after = await stage.processorMs();

  const perSecond = steadyRate(bus.started.map(({ atMs }) => atMs));
  const waits = bus.started.map(({ latencyMs }) => latencyMs);
  const latencies = summarize(perSecond, waits);
  console.log(toLine('answer → call.started', latencies, 'calls'));
  const ended = [...bus.ended.values()];
  const doubles = await doubleDials(stage);
  const notOver = RATE * SECONDS - ended.length;
  console.log(
    `ended: ${tally(ended)}; not over: ${notOver}; dialed twice: ${doubles}; published twice: ${bus.repeated()}`,
  );
  const mib = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(0)} MiB`;
  console.log(`memory of a worker: ${mib(idleBytes)} idle, at most ${mib(stage.memory.peak())}`);
  const wentWell = notOver === 0 && doubles === 0 && ended.every(({ reason }) => reason === 'user_hangup');
  const ms = (value: number): string => `${(value / ended.length).toFixed(1)} ms`;
  console.log(
    `processor time a call: worker ${ms(after.workers - before.workers)}, Postgres ${ms(after.postgres - before.postgres)}`,
  );
  const met = survived && wentWell && latencies.p99 <= BAR_P99_MS && perSecond >= RATE * 0.98;
  console.log(met ? 'bar met' : `bar missed: ${RATE} calls/s, p99 ≤ ${BAR_P99_MS} ms, every call completed`);
  return met;
}

async function load({ addAssistant, dial, untilEnded }: Stage): Promise<void> {
  const agentId = addAssistant();
  const total = RATE * SECONDS;
  const beganMs = Date.now();
  for (let sent = 0; sent < total; await sleep(5)) {
    const due = Math.min(total, Math.ceil(((Date.now() - beganMs) / 1000) * RATE));
    for (; sent < due; sent += 1) dial(agentId, TALKS);
  }
  await untilEnded(total, CALL_SECONDS);
}

/** Calls per second, without the first and last part of the run, when fewer calls are live. */
function steadyRate(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  const from = Math.floor(sorted.length * 0.1);
  const to = Math.ceil(sorted.length * 0.9) - 1;
  return ((to - from) * 1000) / ((sorted[to] ?? 0) - (sorted[from] ?? 0));
}

function tally(ended: readonly { reason: string }[]): string {
  const counts = new Map<string, number>();
  for (const { reason } of ended) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, calls]) => `${reason} ${calls}`).join(', ');
}

async function doubleDials({ sql }: Stage): Promise<number> {
  const rows = await sql.$queryRaw<
    { reference: string }[]
  >`SELECT reference::text FROM simulated_legs GROUP BY reference HAVING count(*) > 1`;
  return rows.length;
}

await runBench(bench);
