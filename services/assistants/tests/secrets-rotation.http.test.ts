import { randomBytes, randomUUID } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ReencryptedBatch, SecretCount } from '@parley/contracts';
import { raw } from '@parley/kit/db';
import { NO_WORKSPACE } from '@parley/kit/http';
import { createLogger } from '@parley/kit/log';
import { eventually } from '@parley/testkit';
import { SEALED_COLUMNS } from '../src/secrets/sealed-columns.ts';
import { type Booted, findings, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';

const [K1, K2] = ['k1', 'k2'].map((id) => `${id}:${randomBytes(32).toString('base64')}`);

let service: Harness;
/** A process whose first key is the new one; in the first process it is the second key, as the procedure requires. */
let rotated: Booted;
const workspace = newWorkspace();
let agentId: string;
const logged: string[] = [];

beforeAll(async () => {
  const log = createLogger({
    service: 'test',
    level: 'error',
    destination: { write: (line) => logged.push(line) },
  });
  service = await startHarness({ ENCRYPTION_KEYS: `${K1},${K2}` }, log);
  rotated = await service.boot({ ENCRYPTION_KEYS: `${K2},${K1}` });
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.sql.$executeRaw`DELETE FROM tools`;
  await service.sql.$executeRaw`UPDATE assistants SET webhook_secret = NULL`;
  agentId = (await service.addAssistant(workspace, { nativeTools: null })).id;
});

const batch = (cursor: string | null, at = rotated) =>
  service.callAsService(NO_WORKSPACE, 'POST', '/internal/secrets/reencrypt', { cursor }, at);

/** All batches, one after the other. */
async function walk(at = rotated): Promise<Omit<ReencryptedBatch, 'key_id' | 'next_cursor'>> {
  const sum = { reencrypted: 0, missed: 0, failed: [] as ReencryptedBatch['failed'] };
  let cursor: string | null = null;
  do {
    const { status, body } = await batch(cursor, at);
    expect(status).toBe(200);
    const { reencrypted, missed, failed, next_cursor } = body.data as ReencryptedBatch;
    sum.reencrypted += reencrypted;
    sum.missed += missed;
    sum.failed.push(...failed);
    cursor = next_cursor;
  } while (cursor !== null);
  return sum;
}

const counts = async (at = rotated): Promise<SecretCount[]> =>
  (await service.callAsService(NO_WORKSPACE, 'GET', '/internal/secrets', undefined, at)).body.data;
const keysInUse = async (): Promise<string[]> =>
  [...new Set((await counts()).map(({ key_id }) => key_id))].sort();

const snapshot = (at?: Booted) =>
  service.callAsService(workspace, 'GET', `/internal/assistants/${agentId}/snapshot`, undefined, at);
const opened = async (at?: Booted): Promise<Json> => {
  const { status, body } = await snapshot(at);
  expect(status).toBe(200);
  return Object.fromEntries(
    body.data.snapshot.tools.map((tool: Json) => [tool.tool_name, tool.native ?? tool.headers]),
  );
};

const OWN = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
async function giveOwnSecrets(): Promise<void> {
  await service.addTool(workspace, agentId, { tool_name: 'own', webhook_secret: OWN });
  await service.ask(workspace, 'PATCH', `/v1/assistant/${agentId}`, { body: { webhook_secret: OWN } });
}
/** The secrets of the assistant and of its tool `own`. */
const ownSecrets = async (): Promise<string[]> => {
  const body = { agent_ids: [agentId] };
  const path = '/internal/assistants/webhook-secrets';
  const [assistant] = (await service.callAsService(workspace, 'POST', path, body, rotated)).body.data;
  const { tools } = (await snapshot(rotated)).body.data.snapshot;
  const tool = tools.find(({ tool_name }: Json) => tool_name === 'own');
  return [...assistant.webhook_secrets, ...tool.webhook_secrets].map(({ secret }) => secret);
};

const addTool = (n: number): Promise<Json> =>
  service.addTool(workspace, agentId, { tool_name: `tool_${n}`, headers: { 'X-Key': `secret ${n}` } });
const addSms = async (): Promise<Json> => {
  const telco = { telco_account_sid: 'AC-sid', telco_auth_token: 'the-token' };
  const body = { agent_id: agentId, tool_name: 'send_sms', ...telco };
  return (await service.post(workspace, '/v1/tool/native', body)).body.data;
};

describe('POST /internal/secrets/reencrypt', () => {
  it('rewraps every secret with the first key without changing its content', async () => {
    await Promise.all([addTool(1), addTool(2), addSms()]);
    // One without secrets, and one whose secrets are already under the new key.
    await service.addTool(workspace, agentId, { tool_name: 'bare' });
    await giveOwnSecrets();
    const [before, secretsBefore] = [await opened(), await ownSecrets()];
    expect(secretsBefore).toEqual([OWN, OWN]);
    expect(await keysInUse()).toEqual(['k1']);
    expect(await walk()).toEqual({ reencrypted: 5, missed: 0, failed: [] });
    expect(await keysInUse()).toEqual(['k2']);
    expect(await ownSecrets()).toEqual(secretsBefore);
    expect(await opened()).toEqual(before);
    const onlyNew = await service.boot({ ENCRYPTION_KEYS: String(K2) });
    expect(await opened(onlyNew)).toEqual(before);
  });

  it('has no effect the second time, and changes nothing that clients see', async () => {
    const tool = await addTool(1);
    const before = (await service.get(workspace, `/v1/assistant/${agentId}`)).text;
    await walk();
    expect(await walk()).toEqual({ reencrypted: 0, missed: 0, failed: [] });
    expect((await service.get(workspace, `/v1/tool/${tool.id}`)).body.data).toEqual(tool);
    expect((await service.get(workspace, `/v1/assistant/${agentId}`)).text).toBe(before);
  });

  it('continues from a cursor in bounded steps, and may be restarted anywhere', async () => {
    await addTool(1);
    await service.sql
      .$executeRaw`INSERT INTO tools SELECT (json_populate_record(t, json_build_object('id', gen_random_uuid(), 'tool_name', 'copy_' || n, 'headers', NULL))).*
       FROM tools t, generate_series(1, 250) n`;
    const first = (await batch(null)).body.data;
    expect(first.next_cursor).toMatch(/^0:[0-9a-f-]{36}$/);
    const second = (await batch(first.next_cursor)).body.data;
    expect(second.next_cursor > first.next_cursor).toBe(true);
    expect(await walk()).toMatchObject({ missed: 0, failed: [] });
    expect(await keysInUse()).toEqual(['k2']);
  });

  it('reports secrets that cannot be decrypted, and rewraps all others', async () => {
    const [moved, lost, spoilt] = await Promise.all([addTool(1), addTool(2), addTool(3), addTool(4)]);
    const set = (sql: string, id: string) =>
      service.sql.$executeRaw`UPDATE tools SET headers = ${raw(sql)} WHERE id = ${id}::uuid`;
    await set(`(SELECT headers FROM tools WHERE tool_name = 'tool_4')`, moved.id);
    await set(`replace(headers, 'v1.k1.', 'v1.k0.')`, lost.id);
    await set(`'nonsense'`, spoilt.id);
    const { failed, ...rest } = await walk();
    expect(rest).toEqual({ reencrypted: 1, missed: 0 });
    const place = { table: 'tools', column: 'headers' };
    expect(failed.sort((a, b) => (a.reason < b.reason ? -1 : 1))).toEqual([
      { ...place, id: moved.id, reason: 'A stored secret could not be opened with encryption key k1' },
      { ...place, id: spoilt.id, reason: 'A stored secret has an unknown format' },
      { ...place, id: lost.id, reason: 'A stored secret needs encryption key k0, which is not configured' },
    ]);
    // A ciphertext that was copied to another row can't be decrypted there, neither before nor after.
    const { status, body } = await snapshot();
    expect([status, body.error.message]).toEqual([500, 'Something went wrong on our side']);
  });

  it('skips a locked tool, which the next pass finds', async () => {
    const [tool] = await Promise.all([addTool(1), addTool(2)]);
    await service.context.prisma.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT FROM tools WHERE id = ${tool.id}::uuid FOR UPDATE`;
      expect(await walk()).toEqual({ reencrypted: 1, missed: 1, failed: [] });
    });
    expect(await walk()).toEqual({ reencrypted: 1, missed: 0, failed: [] });
  });

  it('fails no read and loses no change while tools are read and changed concurrently', async () => {
    const tools: Json[] = [];
    for (let n = 0; n < 40; n += 1) tools.push(await addTool(n));
    const written = new Map(tools.map((tool, n) => [tool.tool_name, `secret ${n}`]));
    let going = true;
    const read = async (at?: Booted): Promise<number> => {
      let reads = 0;
      for (; going; reads += 1) expect((await snapshot(at)).status).toBe(200);
      return reads;
    };
    // Some replace the secret, some keep it by its mask, some omit it.
    const write = async (worker: number): Promise<void> => {
      for (let n = worker; going; n += 2) {
        const tool = tools[n % tools.length];
        const value = `secret ${randomUUID()}`;
        const bodies: { headers?: Record<string, string>; description?: string }[] = [
          { headers: { 'X-Key': value } },
          { headers: { 'x-key': '********' } },
          { description: value },
        ];
        const body = bodies[n % 3] ?? {};
        // The writers are processes with the old and with the new keys.
        const at = worker === 0 ? {} : { at: rotated };
        const { status } = await service.ask(workspace, 'PUT', `/v1/tool/custom/${tool.id}`, { body, ...at });
        expect(status).toBe(200);
        if (body.headers?.['X-Key']) written.set(tool.tool_name, value);
      }
    };
    const work = Promise.all([read(), read(rotated), write(0), write(1)]);
    try {
      for (let n = 0; n < 10; n += 1) await walk();
    } finally {
      going = false;
    }
    const [reads] = await work;
    expect(reads).toBeGreaterThan(3);

    // The old process has stopped; its last secrets have been rewrapped, so all are under the new key.
    expect(await walk()).toMatchObject({ missed: 0, failed: [] });
    expect(await keysInUse()).toEqual(['k2']);
    const values = Object.entries(await opened()).map(([name, headers]) => [
      name,
      Object.values(headers as object),
    ]);
    expect(Object.fromEntries(values)).toEqual(
      Object.fromEntries([...written].map(([name, value]) => [name, [value]])),
    );
  });

  it.each(['x', '9', '0:1', '-1', `0:${randomUUID()}:1`])('refuses the cursor %s', async (cursor) => {
    expect(findings(await batch(cursor))).toEqual(['cursor invalid_format']);
  });

  it('is for services only, and so is the count', async () => {
    const cursor = { cursor: null };
    expect((await service.post(workspace, '/internal/secrets/reencrypt', cursor)).status).toBe(403);
    expect((await service.get(workspace, '/internal/secrets')).status).toBe(403);
  });
});

describe('GET /internal/secrets', () => {
  it('counts secrets by their place and key', async () => {
    await Promise.all([addTool(1), addTool(2), addSms()]);
    const place = { table: 'tools', is_current: false, key_id: 'k1' };
    expect(await counts()).toEqual([
      { ...place, column: 'headers', count: 2 },
      { ...place, column: 'telco_credentials', count: 1 },
    ]);
  });

  it('includes every column with sealed text', async () => {
    await Promise.all([addTool(1), addSms()]);
    await giveOwnSecrets();
    const columns = await service.sql.$queryRaw<
      { table: string; column: string }[]
    >`SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
       WHERE table_schema = 'public' AND data_type IN ('text', 'json', 'jsonb') ORDER BY 1, 2`;
    const sealed = [];
    for (const { table, column } of columns) {
      const [found] = await service.sql.$queryRaw<
        Json[]
      >`SELECT 1 FROM "${raw(table)}" WHERE "${raw(column)}"::text LIKE '%v1.k1.%' LIMIT 1`;
      if (found) sealed.push(`${table}.${column}`);
    }
    expect(sealed.sort()).toEqual(SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).sort());
  });
});

describe('The start of the service', () => {
  const missing = () =>
    logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg.includes('keys that are not configured'));

  it('logs once how many stored secrets need missing or different keys, and nothing otherwise', async () => {
    await Promise.all([addTool(1), addTool(2), addSms()]);
    const [odd] = await Promise.all([addTool(3)]);
    await service.sql
      .$executeRaw`UPDATE tools SET headers = replace(headers, 'v1.k1.', 'v1.k0.') WHERE id = ${odd.id}::uuid`;
    logged.length = 0;
    const seen: unknown[] = [];
    subscribe('parley:attention', (sentence) => seen.push(sentence));
    const lacking = await service.boot({ ENCRYPTION_KEYS: String(K2) });
    await eventually(() => expect(missing()).toHaveLength(1));
    expect(missing()[0]).toMatchObject({
      level: 'error',
      missing: [
        { keyId: 'k0', count: 1 },
        { keyId: 'k1', count: 3 },
      ],
    });
    expect(seen).toEqual([expect.stringContaining('k0 (1 stored secret), k1 (3 stored secrets)')]);
    // The service runs nevertheless.
    expect((await service.ask(workspace, 'GET', `/v1/tool/${odd.id}`, { at: lacking })).status).toBe(200);

    await service.sql.$executeRaw`DELETE FROM tools WHERE id = ${odd.id}::uuid`;
    logged.length = 0;
    await service.boot({ ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}` });
    await eventually(() => expect(missing()).toHaveLength(1));
    expect(missing()[0].missing).toEqual([{ keyId: 'k1', count: 3 }]);
    logged.length = 0;
    const complete = await service.boot();
    await eventually(async () => expect((await counts(complete)).length).toBe(2));
    expect(missing()).toEqual([]);
  });
});
