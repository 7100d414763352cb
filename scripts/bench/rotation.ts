import { randomBytes, randomUUID } from 'node:crypto';
import { createLifecycle, type Lifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { createSecretBox } from '@parley/kit/secrets';
import { type SqlClient, sqlClient, testDatabase } from '@parley/testkit';
import { walkSecrets } from '../../services/gateway/src/domain/secrets/walk-secrets.ts';
import { atRate } from './assistants/at-rate.ts';
import { type Ask, startAssistants } from './assistants/service.ts';
import { type Latencies, toLine } from './latencies.ts';
import { keeperOf, SERVICE } from './rotation/keeper.ts';
import { type Agent, headersOf, seedSecrets } from './rotation/seed.ts';

// 10,000 stored secrets move from one key to another while calls read them and clients change them; beside it the same
// load while nothing moves. A rotation is over before a p99 can be told, so they move to and fro all the time. Wants
// Postgres (DATABASE_URL) and RabbitMQ (AMQP_URL); leaves nothing behind.

const SIZE = { agents: 1_000, toolsEach: 10 };
const READS_PER_SECOND = 30;
const WRITES_PER_SECOND = 5;
const SECONDS = 10;

type Stage = { ask: Ask; workspaceId: string; agents: Agent[] };
type Load = { reads: Latencies; writes: Latencies; failures: unknown[] };

async function run(): Promise<boolean> {
  const log = createLogger({ service: 'bench', level: 'warn' });
  const lifecycle = createLifecycle(log, { deadlineMs: 20_000 });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void lifecycle.stop(signal).then(() => process.exit(1)));
  }
  try {
    return await bench(lifecycle);
  } finally {
    await lifecycle.stop('the benchmark is over');
  }
}

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  const database = await testDatabase('assistants');
  lifecycle.onStop('database', database.drop);
  const sql = sqlClient(database.url);
  lifecycle.onStop('pool', sql.close);
  const keys = ['k1', 'k2'].map((id) => ({ id, key: randomBytes(32) }));
  const [old, fresh] = keys.map(({ id, key }) => `${id}:${key.toString('base64')}`);
  const start = (encryptionKeys: string): Promise<Ask> =>
    startAssistants(database.url, lifecycle, { ENCRYPTION_KEYS: encryptionKeys, LOG_LEVEL: 'fatal' });
  const ask = await start(`${fresh},${old}`);
  const workspaceId = randomUUID();
  const box = createSecretBox(keys);
  const agents = await seedSecrets(sql, box, await template(ask, workspaceId), SIZE);
  const stage = { ask, workspaceId, agents };
  const secrets = SIZE.agents * SIZE.toolsEach;
  console.log(
    `${secrets} secrets; ${READS_PER_SECOND} reads a second of ${SIZE.toolsEach} each, ${WRITES_PER_SECOND} changes a second`,
  );

  await load(stage, 3);
  const idle = await load(stage);
  const forth = keeperOf(ask);
  const back = keeperOf(await start(`${old},${fresh}`));
  let moved = 0;
  let going = true;
  const move = async (): Promise<number> => {
    const began = performance.now();
    while (going) {
      moved += (await walkSecrets(forth, ignore)).reencrypted;
      moved += (await walkSecrets(back, ignore)).reencrypted;
    }
    return (moved * 1000) / (performance.now() - began);
  };
  const moving = move();
  const busy = await load(stage).finally(() => {
    going = false;
  });
  const perSecond = await moving;
  const last = await walkSecrets(forth, ignore);
  const remaining = (await forth.count()).filter(({ is_current }) => !is_current);

  for (const failure of [...idle.failures, ...busy.failures].slice(0, 5)) console.error(failure);
  print('reads, nothing moves', idle.reads);
  print('reads while secrets move', busy.reads);
  print('changes, nothing moves', idle.writes);
  print('changes while secrets move', busy.writes);
  console.log(`${moved} secrets moved meanwhile, ${perSecond.toFixed(0)} a second`);
  const onlyFresh = { ...stage, ask: await start(String(fresh)) };
  let opened = 0;
  for (const agent of agents) opened += (await read(onlyFresh, agent)).length;
  return verdict([
    [`of ${busy.reads.count} reads and ${busy.writes.count} changes none failed`, busy.failures.length === 0],
    [
      'nothing is left under the old key, and nothing failed to open',
      remaining.length + last.failed.length === 0,
    ],
    [`${opened} secrets open with the new key alone`, opened === secrets],
    ['a ciphertext in another row does not open', await movedDoesNotOpen(sql, onlyFresh)],
  ]);
}

/** What fails is gathered, and its time counts as any other. */
async function load(stage: Stage, seconds = SECONDS): Promise<Load> {
  const failures: unknown[] = [];
  const gather = (err: unknown): void => void failures.push(err);
  const agentOf = (n: number): Agent => stage.agents[n % stage.agents.length] as Agent;
  const [reads, writes] = await Promise.all([
    atRate({ ratePerSecond: READS_PER_SECOND, seconds }, (n) =>
      read(stage, agentOf(n)).then(() => {}, gather),
    ),
    // Other assistants than the ones just being read, mostly; every second change keeps the secret under its mask.
    atRate({ ratePerSecond: WRITES_PER_SECOND, seconds }, (n) =>
      change(stage, agentOf(n * 7 + 3), n).catch(gather),
    ),
  ]);
  return { reads, writes, failures };
}

/** As a call begins: all tools of an assistant, opened. Gives the secrets, each of which is its tool's own. */
async function read({ ask, workspaceId }: Stage, { id }: Agent): Promise<string[]> {
  const response = await ask(workspaceId, 'GET', `/internal/assistants/${id}/snapshot`, undefined, SERVICE);
  const text = await response.text();
  if (!response.ok) throw new Error(`A read failed: ${response.status} ${text.slice(0, 300)}`);
  const { tools } = JSON.parse(text).data.snapshot as {
    tools: { id: string; headers: Record<string, string> }[];
  };
  return tools.map((tool) => {
    const secret = tool.headers['X-Key'] ?? '';
    if (!secret.startsWith(`secret ${tool.id} `)) throw new Error('A read gave another secret');
    return secret;
  });
}

async function change({ ask, workspaceId }: Stage, { toolIds }: Agent, n: number): Promise<void> {
  const toolId = toolIds[n % toolIds.length] ?? '';
  const headers = n % 2 === 0 ? headersOf(toolId, n) : { 'x-key': '********' };
  const body = n % 2 === 0 ? { headers } : { description: `Change ${n}` };
  const response = await ask(workspaceId, 'PUT', `/v1/tool/custom/${toolId}`, body);
  const text = await response.text();
  if (!response.ok) throw new Error(`A change failed: ${response.status} ${text.slice(0, 300)}`);
}

async function movedDoesNotOpen(sql: SqlClient, stage: Stage): Promise<boolean> {
  const [agent, other] = stage.agents as [Agent, Agent];
  await sql.$executeRawUnsafe(
    'UPDATE tools SET headers = (SELECT headers FROM tools WHERE id = $1::uuid) WHERE id = $2::uuid',
    other.toolIds[0],
    agent.toolIds[0],
  );
  const path = `/internal/assistants/${agent.id}/snapshot`;
  const response = await stage.ask(stage.workspaceId, 'GET', path, undefined, SERVICE);
  const text = await response.text();
  return response.status === 500 && !text.includes(`secret ${other.toolIds[0]}`);
}

async function template(ask: Ask, workspaceId: string) {
  const data = async (path: string, body: unknown) =>
    ((await (await ask(workspaceId, 'POST', path, body)).json()) as { data: Template }).data;
  const { id } = await data('/v1/assistant', { agent_name: 'Template', config: { nativeTools: null } });
  const endpoint = { endpoint_url: 'https://example.com', http_method: 'POST' };
  const tool = await data('/v1/tool/custom', { agent_id: id, tool_name: 'template', ...endpoint });
  const response = await ask(workspaceId, 'GET', `/v1/assistant/${id}`);
  const { config } = ((await response.json()) as { data: Template }).data;
  return { id, config: { ...config, toolIds: [tool.id] } };
}
type Template = { id: string; config: { toolIds: string[] } };

function print(what: string, latencies: Latencies): void {
  console.log(toLine(what, latencies, 'requests'));
}

function verdict(bars: [string, boolean][]): boolean {
  for (const [what, met] of bars) console.log(`bar: ${what}: ${met ? 'met' : 'MISSED'}`);
  return bars.every(([, met]) => met);
}

function ignore(): void {}

process.exitCode = (await run()) ? 0 : 1;
