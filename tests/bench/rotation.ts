import { randomBytes, randomUUID } from 'node:crypto';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { createSecretBox } from '@parley/kit/secrets';
import { type SqlClient, sqlClient, testDatabase } from '@parley/testkit';
import { runBench, summarize, timesAtRate, toLine } from '@parley/testkit/load';
import { type Ask, startAssistants } from './assistants/service.ts';
import { keeperOf, SERVICE } from './rotation/keeper.ts';
import { type Agent, headersOf, seedSecrets } from './rotation/seed.ts';

// 10,000 stored secrets are re-encrypted while calls read and clients change them, alternating with the same load and no rotation,
// so that other load on the machine affects both. One rotation is too short for a p99, so the secrets move back and forth between
// two keys. Requires Postgres (DATABASE_URL) and RabbitMQ (AMQP_URL); cleans up after itself.

const SIZE = { agents: 1_000, toolsEach: 10 };
const READS_PER_SECOND = 30;
const WRITES_PER_SECOND = 5;
const ROUNDS = 4;
const SECONDS = 3;

type Stage = { ask: Ask; workspaceId: string; agents: Agent[] };
/** Milliseconds. */
type Load = { reads: number[]; writes: number[]; failures: unknown[] };

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  const database = await testDatabase('assistants', { durable: true });
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

  const forth = keeperOf(ask);
  const back = keeperOf(await start(`${old},${fresh}`));
  await load(stage);
  const idle: Load = { reads: [], writes: [], failures: [] };
  const busy: Load = { reads: [], writes: [], failures: [] };
  let moved = 0;
  let movingMs = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    add(idle, await load(stage));
    let going = true;
    const began = performance.now();
    const moving = (async () => {
      for (let n = 0; going; n += 1) {
        moved += (await (n % 2 === 0 ? forth : back).rewrapAll()).reencrypted;
      }
      movingMs += performance.now() - began;
    })();
    add(busy, await load(stage));
    going = false;
    await moving;
  }
  const last = await forth.rewrapAll();
  const remaining = (await forth.count()).filter(({ is_current }) => !is_current);

  for (const failure of [...idle.failures, ...busy.failures].slice(0, 5)) console.error(failure);
  print('reads, nothing moves', READS_PER_SECOND, idle.reads);
  print('reads while secrets move', READS_PER_SECOND, busy.reads);
  print('changes, nothing moves', WRITES_PER_SECOND, idle.writes);
  print('changes while secrets move', WRITES_PER_SECOND, busy.writes);
  console.log(`${moved} secrets moved, ${((moved * 1000) / movingMs).toFixed(0)} a second`);
  const onlyFresh = { ...stage, ask: await start(String(fresh)) };
  let opened = 0;
  for (const agent of agents) opened += (await read(onlyFresh, agent)).length;
  return verdict([
    [
      `of ${busy.reads.length} reads and ${busy.writes.length} changes none failed`,
      busy.failures.length === 0,
    ],
    ['nothing is left under the old key, and nothing failed to open', remaining.length + last.failed === 0],
    [`${opened} secrets open with the new key alone`, opened === secrets],
    ['a ciphertext in another row does not open', await isSwappedSecretRejected(sql, onlyFresh)],
  ]);
}

/** Failures are collected, and their durations count like any other. */
async function load(stage: Stage): Promise<Load> {
  const failures: unknown[] = [];
  const gather = (err: unknown): void => void failures.push(err);
  const agentOf = (n: number): Agent => stage.agents[n % stage.agents.length] as Agent;
  const [reads, writes] = await Promise.all([
    timesAtRate({ ratePerSecond: READS_PER_SECOND, seconds: SECONDS }, (n) =>
      read(stage, agentOf(n)).then(() => {}, gather),
    ),
    // Mostly other assistants than those being read; every second change leaves the masked secret unchanged.
    timesAtRate({ ratePerSecond: WRITES_PER_SECOND, seconds: SECONDS }, (n) =>
      change(stage, agentOf(n * 7 + 3), n).catch(gather),
    ),
  ]);
  return { reads, writes, failures };
}

/** Reads all tools of an assistant with decrypted secrets, as at the start of a call; returns the secrets. */
async function read({ ask, workspaceId }: Stage, { id }: Agent): Promise<string[]> {
  const response = await ask(workspaceId, 'GET', `/internal/assistants/${id}/snapshot`, undefined, SERVICE);
  const text = await response.text();
  if (!response.ok) throw new Error(`A read failed: ${response.status} ${text.slice(0, 300)}`);
  const { tools } = JSON.parse(text).data.snapshot as {
    tools: { id: string; headers: Record<string, string> }[];
  };
  return tools.map((tool) => {
    const secret = tool.headers['X-Key'] ?? '';
    if (!secret.startsWith(`secret ${tool.id} `)) throw new Error('A read returned the wrong secret');
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

async function isSwappedSecretRejected(sql: SqlClient, stage: Stage): Promise<boolean> {
  const [agent, other] = stage.agents as [Agent, Agent];
  await sql.$executeRaw`UPDATE tools SET headers = (SELECT headers FROM tools WHERE id = ${other.toolIds[0]}::uuid) WHERE id = ${agent.toolIds[0]}::uuid`;
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

function add(all: Load, some: Load): void {
  for (const kind of ['reads', 'writes'] as const) all[kind].push(...some[kind]);
  all.failures.push(...some.failures);
}

function print(what: string, ratePerSecond: number, times: number[]): void {
  console.log(toLine(what, summarize(ratePerSecond, times), 'requests'));
}

function verdict(bars: [string, boolean][]): boolean {
  for (const [what, met] of bars) console.log(`bar: ${what}: ${met ? 'met' : 'MISSED'}`);
  return bars.every(([, met]) => met);
}

await runBench(bench);
