import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ReencryptedBatch, reencryptSecretsOf, type SecretCount } from '@parley/contracts';
import { raw } from '@parley/kit/db';
import { createServiceClient, NO_WORKSPACE } from '@parley/kit/http';
import { createLogger } from '@parley/kit/log';
import { eventually, internalTokens } from '@parley/testkit';
import { createSnapshotArchive } from '../src/assistants/snapshot-archive.store.ts';
import { SEALED_COLUMNS } from '../src/secrets/sealed-columns.ts';
import { anyNumber, type Harness, type Json, newWorkspace, SECRET, startHarness } from './harness.ts';

const [K1, K2] = ['k1', 'k2'].map((id) => `${id}:${randomBytes(32).toString('base64')}`);

let harness: Harness;
const logged: Json[] = [];
const workspace = newWorkspace();

beforeAll(async () => {
  const log = createLogger({
    service: 'test',
    level: 'error',
    destination: { write: (line) => logged.push(JSON.parse(line)) },
  });
  harness = await startHarness({ ENCRYPTION_KEYS: `${K1},${K2}` }, log);
});
afterAll(() => harness.close());

const counts = async (): Promise<SecretCount[]> =>
  (await harness.callAsService(NO_WORKSPACE, 'GET', '/internal/secrets')).body.data;

/** A process of the service with other keys. */
const boot = async (keys: string) => {
  const booted = await harness.boot({ ENCRYPTION_KEYS: keys });
  const { prisma, secrets, clock } = booted.context;
  return { ...booted, archive: createSnapshotArchive({ prisma, secrets, clock }) };
};

const snapshot = (version: number) => ({
  ...harness.peers.addAgent(workspace, { agent_id: randomUUID() }),
  version,
  config: { systemPrompt: 'A long prompt. '.repeat(5_000) },
});

describe('POST /internal/secrets/reencrypt', () => {
  it("re-encrypts carrier secrets and calls' copies of assistants with the first key", async () => {
    const trunk = { sip_trunk_auth_username: 'user', sip_trunk_auth_password: 'pass' };
    const body = { phone_number: anyNumber(), termination_uri: 'sip.example.com', ...trunk };
    const { id } = (await harness.ask(workspace, 'POST', '/v1/phone-number/sip', { body })).body.data;
    const old = await boot(`${K1},${K2}`);
    // Two versions of one assistant, so that the cursor uses both columns of the primary key.
    const first = snapshot(1);
    const kept = [first, { ...first, version: 2 }, snapshot(7)];
    for (const each of kept) await old.archive.keep(each);

    const rotated = await boot(`${K2},${K1}`);
    const peer = createServiceClient({
      name: 'telephony',
      caller: 'gateway',
      baseUrl: rotated.url,
      internalTokens: internalTokens(SECRET, 'gateway'),
      log: harness.context.log,
    });
    const endpoint = reencryptSecretsOf('telephony');
    const batches: ReencryptedBatch[] = [];
    for (let cursor: string | null = null; ; ) {
      const batch: ReencryptedBatch = await peer.call(
        endpoint,
        { body: { cursor } },
        { workspaceId: NO_WORKSPACE },
      );
      batches.push(batch);
      if (batch.next_cursor === null) break;
      cursor = batch.next_cursor;
    }
    peer.close();
    expect(batches.map(({ reencrypted, missed, failed }) => [reencrypted, missed, failed])).toEqual([
      [1, 0, []],
      [3, 0, []],
      [0, 0, []],
    ]);
    expect(await counts()).toEqual([
      { table: 'phone_numbers', column: 'secrets', key_id: 'k2', count: 1, is_current: false },
      { table: 'agent_snapshots', column: 'sealed', key_id: 'k2', count: 3, is_current: false },
    ]);

    // The old key can be removed.
    const onlyNew = await boot(String(K2));
    for (const each of kept) expect(await onlyNew.archive.read(each.agent_id, each.version)).toEqual(each);
    const [row] = await harness.sql.$queryRaw<
      Json[]
    >`SELECT secrets FROM phone_numbers WHERE id = ${id}::uuid`;
    expect(onlyNew.context.secrets.open(row.secrets, `phone_numbers:secrets:${id}`)).toContain('pass');
    const archived = await onlyNew.archive.read(first.agent_id, 3);
    expect(archived).toBeNull();
  });

  it('counts a row with two keys under both', async () => {
    const { agent_id } = snapshot(1);
    await harness.sql
      .$executeRaw`INSERT INTO agent_snapshots (agent_id, version, sealed, created_at) VALUES (${agent_id}::uuid, 4, 'nonsense', now())`;
    const path = '/internal/secrets/reencrypt';
    const { body } = await harness.callAsService(NO_WORKSPACE, 'POST', path, { cursor: '1' });
    expect(body.data.failed).toEqual([
      {
        table: 'agent_snapshots',
        column: 'sealed',
        id: `${agent_id} 4`,
        reason: 'A stored secret has an unknown format',
      },
    ]);
    const after = await harness.callAsService(NO_WORKSPACE, 'POST', path, { cursor: `1:${agent_id}:4` });
    expect(after.body.data.failed).toEqual([]);
  });

  it('is for other services only', async () => {
    const body = { cursor: null };
    expect((await harness.ask(workspace, 'POST', '/internal/secrets/reencrypt', { body })).status).toBe(403);
    expect((await harness.ask(workspace, 'GET', '/internal/secrets')).status).toBe(403);
  });
});

describe('GET /internal/secrets', () => {
  it('includes every column with sealed text', async () => {
    const id = randomUUID();
    const addresses = harness.context.secrets.seal('["192.0.2.1"]', `terminations:addresses:${id}`);
    await harness.sql
      .$executeRaw`INSERT INTO terminations (id, addresses) VALUES (${id}::uuid, ${addresses})`;
    const columns = await harness.sql.$queryRaw<
      { table: string; column: string }[]
    >`SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
       WHERE table_schema = 'public' AND data_type IN ('text', 'json', 'jsonb') ORDER BY 1, 2`;
    const sealed = [];
    for (const { table, column } of columns) {
      const [found] = await harness.sql.$queryRaw<
        Json[]
      >`SELECT 1 FROM "${raw(table)}" WHERE "${raw(column)}"::text LIKE '%v1.k_.%' LIMIT 1`;
      if (found) sealed.push(`${table}.${column}`);
    }
    const known = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
    expect(sealed).toEqual([...known].sort());
  });
});

describe('The start of the service', () => {
  it('logs how many stored secrets need missing keys', async () => {
    const old = await boot(`${K1},${K2}`);
    await old.archive.keep(snapshot(1));
    await boot(`k9:${randomBytes(32).toString('base64')}`);
    const line = expect.objectContaining({
      msg: 'stored secrets need encryption keys that are not configured',
      missing: expect.arrayContaining([{ keyId: 'k1', count: expect.any(Number) }]),
    });
    await eventually(() => expect(logged).toContainEqual(line));
  });
});
