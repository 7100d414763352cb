import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { type SqlClient, sqlClient, testDatabase } from '@parley/testkit';
import { runBench, summarize, toLine } from '@parley/testkit/load';
import { seed, untilCounted } from './call-reads/seed.ts';
import { type Ask, startTelephony } from './call-reads/service.ts';

// Analytics of a workspace with a million calls in a year, by 200 assistants that have calls in every hour, through the real
// service, one request after another, with the ranges, zones, groupings and filters of a dashboard. Also measures how fast
// calls are added to the rollups. Requires Postgres (DATABASE_URL) and RabbitMQ (AMQP_URL); cleans up after itself.

const CALLS = 1_000_000;
const REQUESTS = 300;
const BAR_MS = 150;
const DAYS = [1, 7, 30, 90, 365];
const ZONES = ['UTC', 'Europe/Berlin', 'America/Los_Angeles', 'Asia/Kolkata', 'Asia/Kathmandu'];
const GROUPINGS = ['none', 'hour', 'day', 'assistant', 'number', 'campaign', 'outcome'];

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  const database = await testDatabase('telephony', { durable: true });
  lifecycle.onStop('database', database.drop);
  const sql = sqlClient(database.url);
  lifecycle.onStop('pool', sql.close);
  const workspace = randomUUID();
  console.log(`Seeding ${CALLS.toLocaleString('en')} calls …`);
  await seed(sql, new Map([[workspace, CALLS]]));
  await addLatencies(sql);
  const ask = await startTelephony(database.url, lifecycle, {
    GATEWAY_INTERNAL_URL: await startSettings(lifecycle),
  });
  const rate = Math.round(CALLS / (await untilCounted(sql)));
  console.log(`Added ${rate.toLocaleString('en')} calls a second to the rollups`);
  const rows = await sql.$queryRaw<{ agents: string[]; campaigns: string[] }[]>`
    SELECT array_agg(DISTINCT agent_id::text) AS agents, array_agg(DISTINCT campaign_id::text) AS campaigns FROM call_rollups`;
  const [{ agents, campaigns } = { agents: [], campaigns: [] }] = rows;
  const filters = (n: number) => [
    {},
    {},
    { agent_id: agents[n % agents.length] ?? '' },
    { campaign_id: campaigns[n % campaigns.length] ?? '' },
    { call_type: 'outbound' },
  ];
  const request = (n: number): Promise<unknown> => {
    const group_by = GROUPINGS[n % GROUPINGS.length] ?? 'none';
    const days = Math.min(DAYS[Math.floor(n / 6) % DAYS.length] ?? 1, group_by === 'hour' ? 30 : 365);
    const time_zone = ZONES[Math.floor(n / 7) % ZONES.length] ?? 'UTC';
    const query = {
      group_by,
      from: dayIn(time_zone, Date.now() - (days - 1) * 86_400_000),
      time_zone,
      ...filters(n)[Math.floor(n / 30) % 5],
    };
    return ask(workspace, `/v1/analytics/summary?${new URLSearchParams(query)}`);
  };
  return measure(request, ask, workspace);
}

/** The zone's date at this time, such as 2026-03-14. */
function dayIn(timeZone: string, ms: number): string {
  return new Date(ms).toLocaleDateString('sv-SE', { timeZone });
}

/** A fake of the gateway: serves the settings of any workspace. */
async function startSettings(lifecycle: Lifecycle): Promise<string> {
  const server = createServer((req, res) => {
    const data = {
      workspace_id: req.url?.split('/').at(-1),
      rate_cents: 10,
      max_live_calls: 20,
      webhook_secrets: ['whsec_x'],
    };
    res.setHeader('content-type', 'application/json').end(JSON.stringify({ success: true, data }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  lifecycle.onStop('settings', () => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** One call in ten is spoken. */
async function addLatencies(sql: SqlClient): Promise<void> {
  await sql.$executeRaw`
    INSERT INTO turns (call_id, seq, role, content, latency, at)
    SELECT c.id, n, 'agent', 'Hello', json_build_object('end_of_turn_ms', 200, 'first_token_ms', 400,
      'first_audio_ms', 300 + abs(hashtext(c.id::text || n)::bigint) % 2000), c.created_at
    FROM calls c CROSS JOIN generate_series(1, 2) n WHERE c.answered_at IS NOT NULL AND hashtext(c.id::text) % 10 = 0`;
}

async function measure(
  request: (n: number) => Promise<unknown>,
  ask: Ask,
  workspace: string,
): Promise<boolean> {
  for (let n = 0; n < 30; n += 1) await request(n * 11);
  const latencies: number[] = [];
  const start = performance.now();
  for (let n = 0; n < REQUESTS; n += 1) {
    const began = performance.now();
    await request(n);
    latencies.push(performance.now() - began);
  }
  const summary = summarize((REQUESTS * 1_000) / (performance.now() - start), latencies);
  const met = summary.p99 <= BAR_MS;
  console.log(
    `${toLine('analytics', summary, 'requests')}  bar p99 ≤ ${BAR_MS} ms: ${met ? 'met' : 'MISSED'}`,
  );
  const worst = latencies.map((ms, n) => ({ ms, n })).sort((a, b) => b.ms - a.ms);
  for (const { ms, n } of worst.slice(0, 3)) console.log(`  request ${n}: ${Math.round(ms)} ms`);
  const began = performance.now();
  await ask(workspace, '/v2/call/live');
  console.log(`live calls: ${Math.round(performance.now() - began)} ms`);
  return met;
}

await runBench(bench);
