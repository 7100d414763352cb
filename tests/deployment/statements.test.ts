import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROOT, SERVICES, type ServiceName } from '@parley/devstack';
import { raw } from '@parley/kit/db';
import { type SqlClient, sqlClient, type TestDatabase, testDatabase } from '@parley/testkit';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from './kustomize.ts';

// What an operator or KEDA asks the databases is written beside the schema, not in it: here it meets the schema.

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

  it('are found', () => {
    expect(ofOperators().map(({ service }) => service)).toEqual(['campaigns', 'telephony', 'telephony']);
    expect(ofKeda()).toHaveLength(2);
  });
});
