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
import type { Target } from './load.ts';
import { type Replicas, startReplicas } from './replicas.ts';

/** As in the cluster, but for the time of the draining, which there has slower ways to be known. */
const OPERATED = { STOP_DRAIN_MS: '5000', DATABASE_POOL: '3', LOG_LEVEL: 'info' };
const CLOCK_RATE = 4;

export type Stage = {
  services: Replicas[];
  target: Target;
  /** The events that the client's receiver has had, by call, in the order of arrival. */
  events(): Map<string, string[]>;
  /** What telephony says of all calls. */
  calls(): Promise<{ id: string; status: string; reason: string | null; analysed: boolean }[]>;
};

/** The platform, each service twice behind a balancer, with an assistant, a number and a client's receiver. */
export async function setStage(replicas: number, lifecycle: Lifecycle): Promise<Stage> {
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
  const services: Replicas[] = [];
  for (const name of SERVICES) {
    const env = { ...environments[name], ...OPERATED };
    services.push(await startReplicas({ name, count: replicas, env, folder, lifecycle }));
  }

  const parley = async (...args: string[]): Promise<Record<string, string>> => {
    const cli = join(serviceFolder('gateway'), 'dist/cli.js');
    const env = { ...process.env, ...environments.gateway };
    const { ok, stdout, stderr } = await runProgram(process.execPath, [cli, ...args], { env });
    if (!ok) throw new Error(stderr);
    return JSON.parse(stdout);
  };
  const { workspace_id: id = '', private_key: key = '' } = await parley(
    'workspace',
    'create',
    '--name',
    'Rolling',
  );
  const limits = ['--requests-per-minute', '100000', '--max-live-calls', '2000'];
  await parley('workspace', 'set', '--workspace', id, ...limits);

  const server = await receiver();
  lifecycle.onStop('receiver', () => server.close());
  const url = `http://127.0.0.1:${ports.gateway}`;
  const { agentId, fromNumber } = await furnish(url, key, `${server.url}/hook`);
  return {
    services,
    target: { url, key, agentId, fromNumber },
    events: () => {
      const events = new Map<string, string[]>();
      for (const { body } of server.requests('/hook')) {
        const { call_id, event } = JSON.parse(body);
        events.set(call_id, [...(events.get(call_id) ?? []), event]);
      }
      return events;
    },
    calls: () =>
      query(
        environments.telephony.DATABASE_URL ?? '',
        `SELECT id::text, status, disconnection_reason AS reason, analysed_at IS NOT NULL AS analysed FROM calls`,
      ),
  };
}

async function furnish(url: string, key: string, webhookUrl: string) {
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as { data: { id: string } }).data.id;
  };
  const config = { firstMessage: 'Hello, this is Ada.', settings: { webhookUrl } };
  const agentId = await post('/v1/assistant', { agent_name: 'Ada', config });
  const fromNumber = '+15550100777';
  await post('/v1/phone-number/sip', {
    phone_number: fromNumber,
    termination_uri: 'sip.example.com',
    outbound_agent_id: agentId,
    max_cps: 50,
  });
  return { agentId, fromNumber };
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
