import { randomUUID } from 'node:crypto';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { sqlClient, testDatabase } from '@parley/testkit';
import { type Latencies, runBench, summarize, toLine } from '@parley/testkit/load';
import { LEGACY_QUERIES, SEVERAL_FILTERS, SINGLE_FILTERS } from './call-reads/requests.ts';
import { seed, someCalls } from './call-reads/seed.ts';
import { type Ask, startTelephony } from './call-reads/service.ts';

// Lists and reads in a workspace with a million calls, through the real service, one after another. The same in a workspace
// with a thousand separates the cost of the number of calls from the speed of the machine. Requires Postgres (DATABASE_URL)
// and RabbitMQ (AMQP_URL); cleans up after itself.

const MANY = 1_000_000;
const FEW = 1_000;
const LIST = { requests: 30, barMs: 150 };
const LEGACY = { requests: 100, barMs: 50 };
const READ = { requests: 300, barMs: 20 };

type Workspaces = { many: string; few: string };
type Request = (workspaceId: string, n: number) => Promise<unknown>;

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  const database = await testDatabase('telephony', { durable: true });
  lifecycle.onStop('database', database.drop);
  const sql = sqlClient(database.url);
  lifecycle.onStop('pool', sql.close);
  const workspaces: Workspaces = { many: randomUUID(), few: randomUUID() };
  const sizes = new Map([
    [workspaces.few, FEW],
    [workspaces.many, MANY],
  ]);
  console.log(`Seeding ${MANY.toLocaleString('en')} calls …`);
  await seed(sql, sizes);
  const ask = await startTelephony(database.url, lifecycle);
  const ids = new Map<string, string[]>();
  for (const size of sizes) ids.set(size[0], await someCalls(sql, size, READ.requests));
  const read = (workspaceId: string, n: number, path = (id: string) => `/v2/call/${id}`) => {
    const known = ids.get(workspaceId) ?? [];
    return ask(workspaceId, path(known[n % known.length] ?? ''));
  };

  const met: boolean[] = [];
  const measure = async (what: string, load: { requests: number; barMs: number }, request: Request) =>
    met.push(await compare(what, workspaces, load, request));
  for (const [what, filters] of Object.entries(SINGLE_FILTERS)) await measure(what, LIST, list(ask, filters));
  for (const [what, query] of Object.entries(LEGACY_QUERIES)) {
    await measure(what, LEGACY, (id) => ask(id, `/calls${query}`));
  }
  await measure('read', READ, read);
  await measure('legacy read', READ, (id, n) => read(id, n, (callId) => `/calls?callId=${callId}`));
  for (const [what, filters] of Object.entries(SEVERAL_FILTERS)) {
    const { requests } = LIST;
    await compare(what, workspaces, { requests, barMs: Number.POSITIVE_INFINITY }, list(ask, filters));
  }
  return met.every(Boolean);
}

const list =
  (ask: Ask, filters: (n: number) => object): Request =>
  (workspaceId, n) =>
    ask(workspaceId, '/v2/call/list', filters(n));

/** Prints a line for each workspace; the bar applies to the large one. */
async function compare(
  what: string,
  { many, few }: Workspaces,
  { requests, barMs }: { requests: number; barMs: number },
  request: Request,
): Promise<boolean> {
  for (let n = 0; n < 3; n += 1) await request(many, n);
  const large = await oneByOne(requests, (n) => request(many, n));
  const met = large.p99 <= barMs;
  const bar = Number.isFinite(barMs) ? `bar p99 ≤ ${barMs} ms: ${met ? 'met' : 'MISSED'}` : '';
  console.log(`${toLine(what, large, 'requests')}  ${bar}`);
  const small = await oneByOne(Math.ceil(requests / 4), (n) => request(few, n));
  console.log(toLine(`  of ${FEW.toLocaleString('en')} calls`, small, 'requests'));
  return met;
}

async function oneByOne(count: number, send: (n: number) => Promise<unknown>): Promise<Latencies> {
  const latencies: number[] = [];
  const start = performance.now();
  for (let n = 0; n < count; n += 1) {
    const began = performance.now();
    await send(n);
    latencies.push(performance.now() - began);
  }
  return summarize((count * 1000) / (performance.now() - start), latencies);
}

await runBench(bench);
