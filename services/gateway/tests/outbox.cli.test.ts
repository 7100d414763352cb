import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SERVICES } from '@parley/contracts';
import { parseConfig } from '@parley/kit/config';
import { sql } from '@parley/kit/db';
import { createApp, listen } from '@parley/kit/http';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { createMetrics } from '@parley/kit/observability';
import { mountOutbox } from '@parley/kit/outbox';
import {
  internalKeys,
  internalTokens,
  kitDatabase,
  type SqlClient,
  sqlClient,
  type TestDatabase,
  testDatabase,
} from '@parley/testkit';
import { runCli } from '../src/cli/run-cli.ts';
import { cliConfigSchema } from '../src/config.ts';
import { INTERNAL_SECRET } from './harness.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const lifecycle = createLifecycle(log, { deadlineMs: 5_000 });
let database: TestDatabase;
let gatewayDatabase: TestDatabase;
let telephony: SqlClient;
let url = '';

beforeAll(async () => {
  database = await kitDatabase('outbox');
  gatewayDatabase = await testDatabase('gateway');
  telephony = sqlClient(database.url, { max: 4 });
  const metrics = createMetrics('telephony');
  const app = createApp({
    service: 'telephony',
    log,
    metrics,
    internalTokens: internalTokens(INTERNAL_SECRET, 'telephony'),
    readiness: async () => {},
  });
  mountOutbox(app, 'telephony', telephony);
  url = `http://127.0.0.1:${(await listen(app, { host: '127.0.0.1', port: 0 }, lifecycle)).port}`;
});
afterAll(async () => {
  await lifecycle.stop('test');
  await telephony.close();
  await database.drop();
  await gatewayDatabase.drop();
});

async function parley(...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const spies = [
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0),
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => err.push(String(text)) > 0),
  ];
  const urls = Object.fromEntries(SERVICES.map((name) => [`${name.toUpperCase()}_URL`, url]));
  const code = await runCli(['node', 'parley', 'outbox', 'refused', ...args], () =>
    parseConfig(cliConfigSchema, {
      DATABASE_URL: gatewayDatabase.url,
      KEY_PEPPER: 'pepper-of-the-tests-pepper-of-the-tests',
      ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
      ...internalKeys(INTERNAL_SECRET, 'gateway'),
      ...urls,
      GATEWAY_INTERNAL_URL: url,
    }),
  );
  for (const spy of spies) spy.mockRestore();
  return { code, data: code === 0 ? JSON.parse(out.join('')) : undefined, err: err.join('') };
}

async function refuse(payload: string) {
  const id = randomUUID();
  const workspace = randomUUID();
  await telephony.$executeRaw(sql`
    INSERT INTO outbox_refused (message_id, type, workspace_id, payload, created_at, reason)
    VALUES (${id}::uuid, 'call.ended', ${workspace}::uuid, ${payload}, now(), 'message size is too large')`);
  return { id, workspace };
}

describe('parley outbox refused', () => {
  it('lists, shows, requeues and discards messages refused by the broker', async () => {
    const first = await refuse('{"data":"é"}');
    const second = await refuse('{}');
    const facts = {
      message_id: first.id,
      type: 'call.ended',
      workspace_id: first.workspace,
      bytes: 13,
      reason: 'message size is too large',
    };
    const listed = await parley('list', '--service', 'telephony');
    expect(listed.data).toMatchObject([{ service: 'telephony', ...facts }, { message_id: second.id }]);
    expect(JSON.stringify(listed.data)).not.toContain('payload');
    expect((await parley('show', '--service', 'telephony', '--id', first.id)).data).toMatchObject({
      ...facts,
      payload: '{"data":"é"}',
    });
    expect((await parley('requeue', '--service', 'telephony', '--id', first.id)).data).toMatchObject(facts);
    expect((await parley('discard', '--service', 'telephony', '--id', second.id)).code).toBe(0);
    expect((await parley('list', '--service', 'telephony')).data).toEqual([]);
    expect(await telephony.$queryRaw(sql`SELECT message_id::text AS id, payload FROM outbox`)).toEqual([
      { id: first.id, payload: '{"data":"é"}' },
    ]);
    const gatewaySql = sqlClient(gatewayDatabase.url, { max: 1 });
    const entries = await gatewaySql.$queryRaw(
      sql`SELECT workspace_id::text AS workspace, action, actor_kind, target_id AS id FROM audit_log ORDER BY at, action DESC`,
    );
    await gatewaySql.close();
    expect(entries).toEqual([
      { workspace: first.workspace, action: 'message.requeued', actor_kind: 'operator', id: first.id },
      { workspace: second.workspace, action: 'message.discarded', actor_kind: 'operator', id: second.id },
    ]);
    const again = await parley('requeue', '--service', 'telephony', '--id', first.id);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('No such refused message')]);
  });
});
