import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { amqpPrefix, amqpUrl, internalKeys, sqlClient, testDatabase } from '@parley/testkit';
import { postgresMs, processorMs, runBench, summarize, toLine } from '@parley/testkit/load';
import { startVictim, untilUp } from '@parley/testkit/stage';
import { fakeTelephony } from './dispatch/fake-telephony.ts';
import { schedule, seedCampaigns } from './dispatch/seed.ts';

// Dispatchers with a million waiting contacts in fifty campaigns, some of which become due each second: measures the latency
// from due time to dial request. Telephony is faked, and every line is busy. Then the same with a tenth of the contacts, for
// comparison. BENCH_RATE (200 a second), BENCH_SECONDS (60), BENCH_CONTACTS (1,000,000), BENCH_DISPATCHERS (2). Requires
// Postgres (DATABASE_URL) and RabbitMQ (AMQP_URL); cleans up after itself.

const RATE = Number(process.env.BENCH_RATE ?? 200);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 60);
const CONTACTS = Number(process.env.BENCH_CONTACTS ?? 1_000_000);
const DISPATCHERS = Number(process.env.BENCH_DISPATCHERS ?? 2);
const CAMPAIGNS = 50;
const BAR_P99_MS = 500;
/** Time from writing the schedule to the first due contact, and from the last due contact to the verdict. */
const LEAD_MS = 3_000;
const TIMEOUT_MS = 20_000;

async function bench(lifecycle: Lifecycle, log: Log): Promise<boolean> {
  const few = await measure({ contacts: CONTACTS / 10, lifecycle, log });
  const many = await measure({ contacts: CONTACTS, lifecycle, log });
  for (const { contacts, found } of [few, many]) {
    console.log(toLine(`due → dial request, ${contacts} contacts`, found, 'dials'));
  }
  const met = many.found.p99 <= BAR_P99_MS && many.found.count === many.due && many.repeated === 0;
  console.log(`requested ${many.found.count} of ${many.due}; requested twice: ${many.repeated}`);
  console.log(met ? 'bar met' : `bar missed: each once, p99 ≤ ${BAR_P99_MS} ms`);
  return met;
}

type Options = { contacts: number; lifecycle: Lifecycle; log: Log };

async function measure({ contacts, lifecycle, log }: Options) {
  const database = await testDatabase('campaigns', { durable: true });
  lifecycle.onStop('database', database.drop);
  const { prefix, remove } = amqpPrefix();
  lifecycle.onStop('prefix', remove);
  const sql = sqlClient(database.url);
  lifecycle.onStop('pool', sql.close);
  const secret = randomBytes(32).toString('hex');
  const telephony = await fakeTelephony({ prefix, secret, maxCps: 30, log, lifecycle });

  await seedCampaigns(sql, { campaigns: CAMPAIGNS, contacts });
  const env = {
    ...process.env,
    PORT: '0',
    NODE_ENV: 'production',
    DATABASE_URL: database.url,
    AMQP_URL: amqpUrl(),
    AMQP_PREFIX: prefix,
    ...internalKeys(secret, 'campaigns'),
    ASSISTANTS_URL: telephony.url,
    TELEPHONY_URL: telephony.url,
  };
  const dispatchers = Array.from({ length: DISPATCHERS }, () => startVictim('dispatcher', env));
  const end = (): Promise<unknown> => Promise.all(dispatchers.map((dispatcher) => dispatcher.end()));
  lifecycle.onStop('dispatchers', async () => void (await end()));
  // The start of the dispatchers is not measured.
  await untilUp(dispatchers);
  const fromMs = Date.now() + LEAD_MS;
  const dueAt = await schedule(sql, { campaigns: CAMPAIGNS, due: RATE * SECONDS, fromMs, seconds: SECONDS });
  console.log(`${contacts} contacts wait, ${RATE} a second become due …`);
  if (Date.now() > fromMs) throw new Error('scheduling took too long');
  const used = async (): Promise<number[]> => [
    ...(await Promise.all(dispatchers.map((dispatcher) => processorMs(dispatcher.pid())))),
    await postgresMs(sql),
  ];
  const before = await used();
  await sleep(fromMs - Date.now() + SECONDS * 1000);
  const cpu = (await used()).map((ms, at) => ((ms - (before[at] ?? 0)) / SECONDS / 10).toFixed(0));
  console.log(
    `shares of a processor, in percent: dispatchers ${cpu.slice(0, -1).join(', ')}, Postgres ${cpu.at(-1)}`,
  );
  const givesUpAt = performance.now() + TIMEOUT_MS;
  while (telephony.dials.length < dueAt.size && performance.now() < givesUpAt) await sleep(100);
  await end();

  const waits = telephony.dials.map(({ contact, atMs }) => atMs - (dueAt.get(contact) ?? Number.NaN));
  const repeated = telephony.dials.length - new Set(telephony.dials.map(({ contact }) => contact)).size;
  return { contacts, due: dueAt.size, found: summarize(RATE, waits), repeated };
}

await runBench(bench);
