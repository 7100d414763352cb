import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { amqpUrl, databaseUrl, receiver, redisUrl, removePrefix } from '@parley/testkit';
import { Client } from 'pg';
import { anyFreePort } from '../../processes/ports.ts';
import { runProgram } from '../../processes/run-program.ts';
import { serviceEnvironments } from '../../stack/environment.ts';
import { serviceFolder } from '../../stack/folders.ts';
import { migrateAll } from '../../stack/migrate-all.ts';
import { forEachService, SERVICES } from '../../stack/services.ts';
import { openStack } from '../../stack/stack-file.ts';
import { startDeployments } from './deployments.ts';
import { type Campaign, furnish } from './furnish.ts';
import type { Target } from './next-ask.ts';
import type { Replicas } from './replicas.ts';

/** As in the cluster, but for the time of the draining, which there has slower ways to be known. */
const OPERATED = {
  STOP_DRAIN_MS: process.env.STOP_DRAIN_MS ?? '5000',
  DATABASE_POOL: '3',
  LOG_LEVEL: 'info',
};
const CLOCK_RATE = 4;

/** A call as telephony has it. */
export type CallRow = {
  id: string;
  campaign: string | null;
  status: string;
  reason: string | null;
  analysed: boolean;
  /** How many workers have had it. */
  hands: number;
  /** How often the carrier was asked for it. */
  legs: number;
};

export type Stage = {
  deployments: Replicas[];
  target: Target;
  campaign: Campaign;
  /** The events that the client's receiver has had, by call, in the order of arrival. */
  events(): Map<string, string[]>;
  calls(): Promise<CallRow[]>;
};

const CALLS = `
  SELECT c.id::text, c.campaign_id::text AS campaign, c.status, c.disconnection_reason AS reason,
    c.analysed_at IS NOT NULL AS analysed, c.fence AS hands,
    (SELECT count(*)::int FROM simulated_legs l WHERE l.reference = c.id) AS legs
  FROM calls c`;

/** The platform, each of its parts so many times behind a balancer, with a campaign that dials and a client's receiver. */
export async function setStage(count: number, lifecycle: Lifecycle): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-rolling-'));
  const stack = openStack(join(folder, 'stack.json'), {});
  const ports = { ...forEachService(() => 0), internal: await anyFreePort() };
  for (const name of SERVICES) ports[name] = await anyFreePort();
  const environments = serviceEnvironments({
    stack,
    urls: { postgres: databaseUrl(), redis: redisUrl(), rabbitmq: amqpUrl() },
    ports,
    given: { CLOCK_RATE: String(CLOCK_RATE), RECORDINGS_DIR: join(folder, 'recordings') },
    originMs: Date.now(),
  });
  lifecycle.onStop('databases, queues and files', async () => {
    for (const name of SERVICES) {
      await query(databaseUrl(), `DROP DATABASE IF EXISTS "${stack.name}_${name}" WITH (FORCE)`);
    }
    await removePrefix(stack.name, amqpUrl());
    if (!process.env.KEEP_LOGS) await rm(folder, { recursive: true, force: true });
    else console.log(`logs are in ${folder}`);
  });
  await migrateAll(databaseUrl(), stack.name, () => {});
  const deployments = await startDeployments({ count, environments, common: OPERATED, folder, lifecycle });

  const parley = async (...args: string[]): Promise<Record<string, string>> => {
    const cli = join(serviceFolder('gateway'), 'dist/cli.js');
    const env = { ...process.env, ...environments.gateway };
    const { ok, stdout, stderr } = await runProgram(process.execPath, [cli, ...args], { env });
    if (!ok) throw new Error(stderr);
    return JSON.parse(stdout);
  };
  const made = await parley('workspace', 'create', '--name', 'Rolling');
  const { workspace_id: id = '', private_key: key = '' } = made;
  const limits = ['--requests-per-minute', '100000', '--max-live-calls', '2000'];
  await parley('workspace', 'set', '--workspace', id, ...limits);

  const server = await receiver();
  lifecycle.onStop('receiver', () => server.close());
  const furnished = await furnish(`http://127.0.0.1:${ports.gateway}`, key, `${server.url}/hook`);
  return {
    ...furnished,
    deployments,
    events: () => {
      const events = new Map<string, string[]>();
      for (const { body } of server.requests('/hook')) {
        const { call_id, event } = JSON.parse(body);
        events.set(call_id, [...(events.get(call_id) ?? []), event]);
      }
      return events;
    },
    calls: () => query(environments.telephony.DATABASE_URL ?? '', CALLS),
  };
}

async function query<Row>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end();
  }
}
