import type { Lifecycle } from '@parley/kit/lifecycle';
import { realSleep } from '@parley/kit/time';
import { type SqlClient, sqlClient, testDatabase } from '@parley/testkit';
import { runBench } from '@parley/testkit/load';
import { type ServiceProcess, startService } from '@parley/testkit/stage';
import { readSlowly } from './pages/read-slowly.ts';
import { assistantPages, callWebhooksPage, type Page } from './pages/seed.ts';

// Memory of a service, with the settings of its image, when sixteen clients on slow connections, each of another workspace, request
// its largest page at the same time. Requires Postgres (DATABASE_URL) and RabbitMQ (AMQP_URL); cleans up after itself.

const AT_ONCE = 16;
const BAR_MIB = 300;
const SAMPLE_MS = 20;
const MIB = 1024 ** 2;

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  const open = async (name: 'assistants' | 'webhooks'): Promise<[ServiceProcess, SqlClient]> => {
    const { url, drop } = await testDatabase(name);
    lifecycle.onStop(`database of ${name}`, drop);
    const sql = sqlClient(url);
    lifecycle.onStop(`pool of ${name}`, sql.close);
    return [await startService(name, { env: { DATABASE_URL: url } }, lifecycle), sql];
  };
  const [assistants, ofAssistants] = await open('assistants');
  const [webhooks, ofWebhooks] = await open('webhooks');
  const lists = await forEachClient(() => assistantPages(ofAssistants));
  const calls = await forEachClient(() => callWebhooksPage(ofWebhooks));
  const ofList = lists.map((pages) => pages.assistants);
  const ofTools = lists.map((pages) => pages.tools);
  return [
    await measure('POST /v1/assistant/list', assistants, ofList),
    await measure('POST /v1/tool/list', assistants, ofTools),
    await measure('GET /v2/call/{id}/webhooks', webhooks, calls),
  ].every(Boolean);
}

/** Each client has its own workspace, since a service limits the share of each workspace. */
async function forEachClient<T>(make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let i = 0; i < AT_ONCE; i += 1) made.push(await make());
  return made;
}

async function measure(what: string, service: ServiceProcess, pages: Page[]): Promise<boolean> {
  const [first] = pages;
  const bytes = first ? await readSlowly(service, first) : 0;
  const idle = await service.memory.now();
  const readings = Promise.allSettled(pages.map((page) => readSlowly(service, page)));
  const peak = await peakDuring(service, readings);
  const failed = (await readings).filter(({ status }) => status === 'rejected').length;
  const isMet = failed === 0 && service.isAlive() && peak <= BAR_MIB * MIB;
  const mib = (value: number): string => `${(value / MIB).toFixed(0)} MiB`;
  console.log(
    `${what.padEnd(28)} ${mib(bytes).padStart(7)} a page, ${AT_ONCE} at once: peak ${mib(peak)}, before ${mib(idle)}` +
      `${failed > 0 ? `, ${failed} FAILED` : ''}${service.isAlive() ? '' : ', THE PROCESS ENDED'}` +
      `  bar ${BAR_MIB} MiB: ${isMet ? 'met' : 'MISSED'}`,
  );
  return isMet;
}

async function peakDuring(service: ServiceProcess, work: Promise<unknown>): Promise<number> {
  let isOver = false;
  void work.finally(() => {
    isOver = true;
  });
  let peak = 0;
  while (!isOver) {
    peak = Math.max(peak, await service.memory.now());
    await realSleep(SAMPLE_MS);
  }
  return peak;
}

await runBench(bench);
