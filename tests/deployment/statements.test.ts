import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROOT, SERVICES, type ServiceName } from '@parley/devstack';
import { raw } from '@parley/kit/db';
import { type SqlClient, sqlClient, type TestDatabase, testDatabase } from '@parley/testkit';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from './kustomize.ts';

// Queries of operators and KEDA are outside of the schema's code: this tests them against the schema.

type Statement = { service: ServiceName; sql: string };

/** `psql "$SERVER/parley_restored_<service>" -c "…" -c "…"` in the notes for operators. */
function ofOperators(): Statement[] {
  const text = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8').replaceAll('\\\n', ' ');
  return [...text.matchAll(/^psql "\$SERVER\/\w+_([a-z]+)" (.*)$/gm)].flatMap(([, service, commands = '']) =>
    [...commands.matchAll(/-c "([^"]+)"/g)].map(([, sql = '']) => ({ service: service as ServiceName, sql })),
  );
}

function ofKeda(): Statement[] {
  const folder = join(ROOT, 'k8s/components/keda');
  const objects: Manifest[] = readdirSync(folder).flatMap((file) =>
    parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document) => document.toJS()),
  );
  return objects.flatMap(({ spec }) =>
    (spec?.triggers ?? []).flatMap(({ authenticationRef, metadata }: Manifest) =>
      metadata.query
        ? [{ service: authenticationRef.name.replace('parley-database-', ''), sql: metadata.query }]
        : [],
    ),
  );
}

describe('statements outside of the services', () => {
  const databases = new Map<ServiceName, TestDatabase>();
  const clients = new Map<ServiceName, SqlClient>();

  beforeAll(async () => {
    for (const service of new Set([...ofOperators(), ...ofKeda()].map((statement) => statement.service))) {
      expect(SERVICES).toContain(service);
      const database = await testDatabase(service);
      databases.set(service, database);
      clients.set(service, sqlClient(database.url));
    }
  });
  afterAll(async () => {
    for (const client of clients.values()) await client.close();
    for (const database of databases.values()) await database.drop();
  });

  it.each(ofOperators())('docs/operations.md, on $service: $sql', async ({ service, sql }) => {
    await clients.get(service)?.$executeRaw(raw(sql));
  });

  it.each(ofKeda())('KEDA counts in $service: $sql', async ({ service, sql }) => {
    const rows = await clients.get(service)?.$queryRaw<object[]>(raw(sql));
    expect(rows?.map((row) => Object.values(row).map(Number))).toEqual([[0]]);
  });

  it('KEDA counts live calls, and waiting dials of numbers that dial, in percent of a worker', async () => {
    const database = await testDatabase('telephony');
    const client = sqlClient(database.url);
    const [up, down, still] = [randomUUID(), randomUUID(), randomUUID()];
    await client.$executeRaw`INSERT INTO call_workers (id, expires_at, max_calls)
      SELECT gen_random_uuid(), clock_timestamp() + at, 50 FROM unnest(ARRAY['1 hour', '1 hour', '-1 hour']::interval[]) AS at`;
    for (const [id, dialedAgo] of [
      [up, '1 s'],
      [down, '1 s'],
      [still, '1 min'],
    ]) {
      await client.$executeRaw`INSERT INTO phone_numbers (id, workspace_id, phone_number, provider, created_at, updated_at)
        VALUES (${id}::uuid, ${up}::uuid, ${`+1${id}`}, 'hosted_sip', now(), now())`;
      await client.$executeRaw`INSERT INTO number_clocks (phone_number_id, next_dial_at)
        VALUES (${id}::uuid, now() - ${dialedAgo}::interval)`;
    }
    await client.$executeRaw`INSERT INTO number_circuits (phone_number_id, failures, opened_at, openings, probe_at)
      VALUES (${down}::uuid, 30, now(), 1, now())`;
    const wait = (number: string, campaign: string | null, count: number) =>
      client.$executeRaw`INSERT INTO dial_requests (call_id, workspace_id, phone_number_id, campaign_id, agent_id, to_number, requested_at)
        SELECT gen_random_uuid(), ${up}::uuid, ${number}::uuid, ${campaign}::uuid, ${up}::uuid, '+14155550100', now()
        FROM generate_series(1, ${count}::int)`;
    await wait(up, up, 4);
    await wait(down, up, 8);
    await wait(still, up, 16);
    await wait(up, null, 1);
    // Two that are up, and the single one that waits.
    await client.$executeRaw`INSERT INTO calls (id, workspace_id, agent_id, call_type, status, phase, rate_cents, created_at, updated_at)
      SELECT gen_random_uuid(), ${up}::uuid, ${up}::uuid, 'outbound', status, phase, 1, now(), now()
      FROM (VALUES ('in-progress', 'up'), ('in-progress', 'up'), ('queued', 'queued')) AS given (status, phase)`;
    const statement = ofKeda().find(({ service }) => service === 'telephony');
    const rows = await client.$queryRaw<object[]>(raw(statement?.sql ?? ''));
    expect(rows.map((row) => Object.values(row).map(Number))).toEqual([[((3 + 4) * 100) / 50]]);
    await client.close();
    await database.drop();
  });

  it('are found', () => {
    expect(ofOperators().map(({ service }) => service)).toEqual(['campaigns', 'telephony', 'telephony']);
    expect(ofKeda()).toHaveLength(2);
  });
});
