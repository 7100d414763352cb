import { randomBytes, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createInternalTokens } from '@parley/kit/http';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { amqpPrefix, amqpUrl, sqlClient, testDatabase } from '@parley/testkit';
import { fakePeers } from '../../services/telephony/tests/fake-peers.ts';
import { openBus } from './calls/bus.ts';
import { type Line, seedLines } from './calls/seed.ts';
import { startCallWorker } from './calls/workers.ts';
import { summarise, toLine } from './latencies.ts';
import { runBench } from './run-bench.ts';

// Campaigns' dials at an even rate through a real call worker on the simulated carrier, in real time: each is answered,
// talks a few turns and hangs up. Tells how soon after the answer `call.started` is heard, and what the worker needs.
// BENCH_RATE (100 calls a second), BENCH_SECONDS (40), BENCH_WORKERS (1), BENCH_RECORDINGS=1 (off: they are a job of their
// own). Wants Postgres (DATABASE_URL) and RabbitMQ (AMQP_URL); leaves nothing behind.

const RATE = Number(process.env.BENCH_RATE ?? 100);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 40);
const WORKERS = Number(process.env.BENCH_WORKERS ?? 1);
const RECORDINGS = process.env.BENCH_RECORDINGS === '1';
const LINES = 20;
/** What a receiver is promised (spec: call_started fires within 1-2 seconds). */
const BAR_P99_MS = 2_000;
/** A call of the simulated human takes less. */
const CALL_SECONDS = 40;
const MEBIBYTE = 1024 * 1024;

async function bench(lifecycle: Lifecycle, log: Log): Promise<boolean> {
  const secret = randomBytes(32).toString('hex');
  const database = await testDatabase('telephony');
  lifecycle.onStop('database', database.drop);
  const sql = sqlClient(database.url);
  lifecycle.onStop('pool', sql.close);
  const { prefix, remove } = amqpPrefix();
  lifecycle.onStop('prefix', remove);
  const peers = await fakePeers({ internalTokens: createInternalTokens(secret), log, lifecycle });
  lifecycle.onStop('peers', peers.close);
  const bus = await openBus(prefix, lifecycle);

  const workspaceId = randomUUID();
  const agent = peers.addAgent(workspaceId);
  const settings = agent.config.settings as Record<string, unknown>;
  agent.config = { ...agent.config, settings: { ...settings, recording: { enabled: RECORDINGS } } };
  peers.setSettings(workspaceId, { max_live_calls: 1_000_000 });
  const lines = await seedLines(sql, workspaceId, LINES, (2 * RATE) / LINES);
  const env = {
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    DATABASE_URL: database.url,
    AMQP_URL: amqpUrl(),
    AMQP_PREFIX: prefix,
    INTERNAL_TOKEN_SECRET: secret,
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    RECORDING_URL_SECRET: secret,
    RECORDINGS_DIR: join(tmpdir(), 'parley-bench-recordings'),
    RECORDING_SPEECH: 'tones',
    PUBLIC_URL: 'http://127.0.0.1',
    ASSISTANTS_URL: peers.assistants.url.replace(/\/$/, ''),
    CAMPAIGNS_URL: peers.campaigns.url.replace(/\/$/, ''),
    GATEWAY_INTERNAL_URL: peers.gateway.url.replace(/\/$/, ''),
  };
  const workers = await Promise.all(Array.from({ length: WORKERS }, () => startCallWorker(env, lifecycle)));
  const resident = async (): Promise<number> =>
    Math.max(...(await Promise.all(workers.map((worker) => worker.residentBytes()))));

  const idleBytes = await resident();
  let mostBytes = idleBytes;
  const watch = setInterval(() => {
    resident().then((bytes) => {
      mostBytes = Math.max(mostBytes, bytes);
    }, console.error);
  }, 1_000);
  lifecycle.onStop('watch', () => clearInterval(watch));

  console.log(
    `${RATE} dials a second for ${SECONDS} s, ${WORKERS} worker(s), recordings ${RECORDINGS ? 'on' : 'off'} …`,
  );
  const total = RATE * SECONDS;
  const beganMs = Date.now();
  for (let sent = 0; sent < total; await sleep(5)) {
    const due = Math.min(total, Math.ceil(((Date.now() - beganMs) / 1000) * RATE));
    for (; sent < due; sent += 1) dial(sent);
  }
  const endsMs = Date.now() + CALL_SECONDS * 1000;
  while (bus.ended.size < total && Date.now() < endsMs) await sleep(200);

  function dial(n: number): void {
    const line = lines[n % lines.length] as Line;
    bus.dial(workspaceId, {
      call_id: randomUUID(),
      campaign_id: workspaceId,
      contact_id: randomUUID(),
      generation: 1,
      agent_id: agent.agent_id,
      phone_number_id: line.phoneNumberId,
      to_number: `+1${String(2_000_000_000 + n * 10_000 + 4_242)}`,
      dynamic_variables: {},
    });
  }

  const perSecond = steadyRate(bus.started.map(({ atMs }) => atMs));
  const latencies = summarise(
    perSecond,
    bus.started.map(({ latencyMs }) => latencyMs),
  );
  console.log(toLine('answer → call.started', latencies, 'calls'));
  const counts = new Map<string, number>();
  for (const { reason } of bus.ended.values()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const reasons = [...counts].map(([reason, calls]) => `${reason} ${calls}`);
  const [legs] = await sql.$queryRawUnsafe<{ double: number }[]>(
    `SELECT count(*)::int AS double FROM (
       SELECT 1 FROM simulated_legs GROUP BY reference HAVING count(*) > 1) AS twice`,
  );
  const notOver = total - bus.ended.size;
  console.log(
    `ended: ${reasons.join(', ')}; not over: ${notOver}; dialled twice: ${legs?.double}; told twice: ${bus.repeated()}`,
  );
  const mib = (bytes: number): string => `${(bytes / MEBIBYTE).toFixed(0)} MiB`;
  console.log(`memory of a worker: ${mib(idleBytes)} idle, ${mib(mostBytes)} at most`);
  const wentWell =
    bus.ended.size === total && [...bus.ended.values()].every(({ reason }) => reason === 'user_hangup');
  const met = wentWell && legs?.double === 0 && latencies.p99 <= BAR_P99_MS && perSecond >= RATE * 0.98;
  console.log(met ? 'bar met' : `bar missed: ${RATE} calls/s, p99 ≤ ${BAR_P99_MS} ms, every call to its end`);
  return met;
}

/** How many a second, without the beginning and the end, when calls ring that others are still to follow. */
function steadyRate(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  const from = Math.floor(sorted.length * 0.1);
  const to = Math.ceil(sorted.length * 0.9) - 1;
  return ((to - from) * 1000) / ((sorted[to] ?? 0) - (sorted[from] ?? 0));
}

await runBench(bench);
