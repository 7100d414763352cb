import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { testDatabase } from '@parley/testkit';
import { runBench, summarize, toLine } from '@parley/testkit/load';
import { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type Reads, readMeanwhile, timeOf, upload } from './ingest/client.ts';
import { COPY_COLUMNS, toBody, toLines } from './ingest/contacts.ts';
import { type Stage, setStage } from './ingest/stage.ts';

// A campaign of COUNT contacts (a million) in one POST through the gateway: duration, memory, and latency of concurrent
// requests, compared with a bare COPY of the same rows in the same run.
const COUNT = Number(process.env.COUNT ?? 1_000_000);
const BARS = { seconds: 25, memoryMb: 250, p99Ms: 100 };
const READS_PER_SECOND = 20;
const IDLE_SECONDS = 3;
const MB = 1024 ** 2;

await runBench(async (lifecycle, log) => {
  const copySeconds = await bareCopy(lifecycle);
  const stage = await setStage(lifecycle, log);
  const { agentId: agent_id, phoneNumber: phone_number } = stage;
  const fields = { campaign_name: 'A million', agent_id, phone_number };
  const small = await upload(stage, '/v1/campaigns', toBody(2000, fields));
  const paths = ['/v1/campaigns', `/v1/campaigns/${small.data.campaign_id}/contacts`];
  const idle = await readMeanwhile(stage, paths, READS_PER_SECOND, sleep(IDLE_SECONDS * 1000));

  const body = toBody(COUNT, fields);
  const sizeMb = body.reduce((sum, piece) => sum + piece.length, 0) / MB;
  const before = await memoryOf(stage);
  const cpuBefore = await cpuOf(stage);
  const start = performance.now();
  let seconds = 0;
  const uploading = upload(stage, '/v1/campaigns', body).then((created) => {
    seconds = (performance.now() - start) / 1000;
    return created;
  });
  const during = await readMeanwhile(stage, paths, READS_PER_SECOND, uploading);
  const { data } = await uploading;
  if (data.total_contacts !== COUNT) throw new Error(`${data.total_contacts} contacts instead of ${COUNT}`);
  const up = memoryGrowth(stage, before);
  const cpu = await cpuOf(stage);

  console.log(
    `${COUNT} contacts, ${sizeMb.toFixed(0)} MB of JSON, through the gateway: ${seconds.toFixed(1)} s`,
  );
  console.log(
    `a bare COPY of the same rows: ${copySeconds.toFixed(1)} s, the upload took ${(seconds / copySeconds).toFixed(1)} times that`,
  );
  console.log(
    `processors' time: gateway ${(cpu.gateway - cpuBefore.gateway).toFixed(1)} s, campaigns ${(cpu.campaigns - cpuBefore.campaigns).toFixed(1)} s`,
  );
  console.log(`memory growth: ${up.map(([name, mb]) => `${name} ${mb.toFixed(0)} MB`).join(', ')}`);
  report('other requests, idle', idle);
  report('other requests, meanwhile', during);
  await reportReads(stage, String(data.campaign_id));
  const most = Math.max(...up.map(([, mb]) => mb));
  return seconds <= BARS.seconds && most <= BARS.memoryMb && p99Of(during) <= BARS.p99Ms;
});

/** Infinite if a request failed, so that no bar is met. */
function p99Of({ times, failed }: Reads): number {
  return failed > 0 ? Number.POSITIVE_INFINITY : summarize(READS_PER_SECOND, times).p99;
}

function report(what: string, { times, failed }: Reads): void {
  console.log(`${toLine(what, summarize(READS_PER_SECOND, times), 'requests')}  failed ${failed}`);
}

/** COPY into the same table with the same indexes, on one connection. */
async function bareCopy(lifecycle: Lifecycle): Promise<number> {
  const database = await testDatabase('campaigns', { durable: true });
  lifecycle.onStop('database of the bare COPY', database.drop);
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const lines = toLines(COUNT);
  const start = performance.now();
  await pipeline(lines, client.query(copyFrom(`COPY contacts (${COPY_COLUMNS}) FROM STDIN`)));
  const seconds = (performance.now() - start) / 1000;
  await client.end();
  return seconds;
}

/** Measures reads of the list afterwards: first page, last page, and the CSV export. */
async function reportReads(stage: Stage, id: string): Promise<void> {
  const page = (offset: number) => timeOf(stage, `/v1/campaigns/${id}/contacts?limit=100&offset=${offset}`);
  await page(0);
  const [first, last] = [await page(0), await page(COUNT - 100)];
  console.log(`first page of 100: ${first.toFixed(0)} ms, last page: ${last.toFixed(0)} ms`);
  const before = await memoryOf(stage);
  const csvMs = await timeOf(stage, `/v1/campaigns/${id}/contacts.csv`);
  const up = memoryGrowth(stage, before).map(([name, mb]) => `${name} ${mb.toFixed(0)} MB`);
  console.log(`CSV export: ${(csvMs / 1000).toFixed(1)} s; memory growth: ${up.join(', ')}`);
}

type Each = Record<'gateway' | 'campaigns', number>;

async function cpuOf({ gateway, campaigns }: Stage): Promise<Each> {
  return {
    gateway: (await gateway.processorMs()) / 1_000,
    campaigns: (await campaigns.processorMs()) / 1_000,
  };
}

async function memoryOf({ gateway, campaigns }: Stage): Promise<Each> {
  gateway.memory.resetPeak();
  campaigns.memory.resetPeak();
  return { gateway: await gateway.memory.now(), campaigns: await campaigns.memory.now() };
}

function memoryGrowth(stage: Stage, before: Each): [string, number][] {
  return (['gateway', 'campaigns'] as const).map((name) => [
    name,
    Math.max(0, stage[name].memory.peak() - before[name]) / MB,
  ]);
}
