import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { type SqlClient, sqlClient } from '@parley/testkit';
import { type Latencies, runBench, summarize, toLine } from '@parley/testkit/load';
import { bootPlatform, createApi } from '@parley/testkit/stage';
import { untilCounted } from './call-reads/seed.ts';
import { rowsWith, seedPerson } from './erasure/seed.ts';

// Erasure of one number among a million calls with turns, timelines, contacts and webhook events, by the complete platform,
// while another workspace reads and places calls at a steady rate [trust.19]. Requires Postgres, Redis and RabbitMQ; cleans
// up after itself.

const CALLS = Number(process.argv[2] ?? 1_000_000);
const PERSON = '+19995550123';
const BAR_SECONDS = 60;
const RATE = 40;
/** One request in this many places a call. */
const CALL_EVERY = 20;
const QUIET_MS = 15_000;
/** Maximum p99 of the other workspace, relative to the quiet phase before. */
const BAR_TIMES = 2;

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  const platform = await bootPlatform({ env: { LOG_LEVEL: 'warn' } });
  lifecycle.onStop('platform', platform.stop);
  const databases = (['telephony', 'campaigns', 'webhooks'] as const).map((service): [string, SqlClient] => {
    const sql = sqlClient(platform.inside[service].env.DATABASE_URL ?? '');
    lifecycle.onStop(`pool of ${service}`, sql.close);
    return [service, sql];
  });
  const { telephony, campaigns, webhooks } = Object.fromEntries(databases);
  if (!telephony || !campaigns || !webhooks) throw new Error('there are three databases');
  const workspaceId = platform.workspace.workspace_id;
  console.log(`Seeding ${CALLS.toLocaleString('en')} calls …`);
  await seedPerson({ telephony, campaigns, webhooks }, { workspaceId, phoneNumber: PERSON, calls: CALLS });
  console.log('Waiting until telephony has counted the calls …');
  await untilCounted(telephony);
  console.log(`Rows with the number before: ${JSON.stringify(await rowsEverywhere(databases))}`);

  const other = await platform.createWorkspace('Other');
  const load = startLoad(
    platform.url,
    other.private_key,
    await connectNumber(platform.url, other.private_key),
  );
  await sleep(5_000);
  load.take();
  await sleep(QUIET_MS);
  const quiet = load.take();
  const began = performance.now();
  const { id } = await platform.api.data('POST', '/v1/erasure', { phone_number: PERSON });
  let erasure = await platform.api.data('GET', `/v1/erasure/${id}`);
  while (erasure.status !== 'completed') {
    await sleep(200);
    erasure = await platform.api.data('GET', `/v1/erasure/${id}`);
  }
  const seconds = (performance.now() - began) / 1_000;
  const during = load.take();
  await load.stop();

  console.log(toLine('other workspace, quiet', quiet, 'requests'));
  console.log(toLine('other workspace, during the erasure', during, 'requests'));
  console.log(`erased in ${seconds.toFixed(1)} s: ${JSON.stringify(erasure.receipt)}`);
  const left = await rowsEverywhere(databases);
  const verdicts = [
    [`erased within ${BAR_SECONDS} s`, seconds <= BAR_SECONDS],
    [`p99 of others ≤ ${BAR_TIMES} × quiet`, during.p99 <= BAR_TIMES * quiet.p99],
    [`nothing left (${JSON.stringify(left)})`, left.length === 0],
  ] as const;
  for (const [what, met] of verdicts) console.log(`${met ? 'met   ' : 'MISSED'} ${what}`);
  return verdicts.every(([, met]) => met);
}

async function rowsEverywhere(databases: [string, SqlClient][]): Promise<[string, string, number][]> {
  const found: [string, string, number][] = [];
  for (const [service, sql] of databases)
    for (const [table, rows] of await rowsWith(sql, PERSON.slice(1))) found.push([service, table, rows]);
  return found;
}

/** A number with an assistant; returns its E.164. */
async function connectNumber(url: string, key: string): Promise<string> {
  const api = createApi(url, key);
  const { id } = await api.data('POST', '/v1/assistant', { agent_name: 'Ada' });
  const number = { phone_number: '+15550100900', termination_uri: 'sip.example.com', max_cps: 50 };
  await api.data('POST', '/v1/phone-number/sip', { ...number, outbound_agent_id: id });
  return number.phone_number;
}

/** Requests of another workspace at a steady rate, independent of response times: lists, and calls to busy numbers. */
function startLoad(url: string, key: string, from: string): { take(): Latencies; stop(): Promise<void> } {
  const api = createApi(url, key);
  let latencies: number[] = [];
  const underWay = new Set<Promise<void>>();
  let sent = 0;
  const send = async (): Promise<void> => {
    sent += 1;
    const began = performance.now();
    const call = { from_number: from, to_number: `+1202${String(sent).padStart(6, '0')}0002` };
    const isCall = sent % CALL_EVERY === 0;
    const { status } = isCall
      ? await api.request('POST', '/v2/call', call)
      : await api.request('POST', '/v2/call/list', {});
    if (status !== (isCall ? 201 : 200))
      throw new Error(`${isCall ? 'a call' : 'a read'} answered ${status}`);
    latencies.push(performance.now() - began);
  };
  const timer = setInterval(() => {
    const request = send().finally(() => underWay.delete(request));
    underWay.add(request);
  }, 1_000 / RATE);
  return {
    take: () => {
      const taken = summarize(RATE, latencies);
      latencies = [];
      return taken;
    },
    stop: async () => {
      clearInterval(timer);
      await Promise.all(underWay);
    },
  };
}

await runBench(bench);
