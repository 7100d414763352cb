import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, faultProxy } from '@parley/testkit';
import { Client } from 'pg';
import { newId } from '../src/ids/index.ts';
import { migrate } from '../src/migrations/index.ts';

const serverUrl = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test';
const made: string[] = [];
const folders: string[] = [];
let databaseUrl = '';
let dir = '';

async function query<T>(url: string, sql: string): Promise<T[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as T[];
  } finally {
    await client.end();
  }
}

async function write(name: string, sql: string): Promise<void> {
  await mkdir(join(dir, name), { recursive: true });
  await writeFile(join(dir, name, 'migration.sql'), sql);
}

beforeEach(async () => {
  const url = new URL(serverUrl);
  url.pathname = `/kit_migrations_${newId().replaceAll('-', '')}`;
  databaseUrl = url.href;
  made.push(url.pathname.slice(1));
  dir = await mkdtemp(join(tmpdir(), 'kit-migrations-'));
  folders.push(dir);
  await writeFile(join(dir, 'migration_lock.toml'), 'provider = "postgresql"\n');
  await write('20260101000000_first', 'CREATE TABLE a (id int);\nCREATE TABLE b (id int);');
  await write('20260102000000_second', 'ALTER TABLE a ADD COLUMN name text;');
});

afterAll(async () => {
  for (const name of made) await query(serverUrl, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
  for (const folder of folders) await rm(folder, { recursive: true });
});

describe('migrate', () => {
  it('creates the database, applies in order, and does nothing the second time', async () => {
    expect(await migrate({ databaseUrl, dir })).toEqual(['20260101000000_first', '20260102000000_second']);
    expect(await migrate({ databaseUrl, dir })).toEqual([]);
    expect(await query(databaseUrl, 'SELECT id, name FROM a')).toEqual([]);
  });

  it("records in Prisma's history table", async () => {
    await migrate({ databaseUrl, dir });
    const rows = await query(databaseUrl, 'SELECT * FROM _prisma_migrations ORDER BY migration_name');
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({
      migration_name: '20260101000000_first',
      // sha256sum of the file
      checksum: '6a68a1f76c436c8f27680f6287b5eefa4e326c220eb9c5d75b44fb58f880955f',
      rolled_back_at: null,
      logs: null,
      applied_steps_count: 1,
      finished_at: expect.any(Date),
    });
  });

  it('applies only new migrations', async () => {
    await migrate({ databaseUrl, dir });
    await write('20260103000000_third', 'CREATE TABLE c (id int);');
    expect(await migrate({ databaseUrl, dir })).toEqual(['20260103000000_third']);
  });

  it('is safe concurrently, also for a database that does not exist', async () => {
    const results = await Promise.all(Array.from({ length: 6 }, () => migrate({ databaseUrl, dir })));
    expect(results.flat().sort()).toEqual(['20260101000000_first', '20260102000000_second']);
  });

  it('applies a migration completely or not at all, and reports where it failed', async () => {
    await write('20260103000000_third', 'CREATE TABLE c (id int);\n\nSELECT nonsense;');
    await expect(migrate({ databaseUrl, dir })).rejects.toThrow(
      'Migration "20260103000000_third" failed: column "nonsense" does not exist (line 3)',
    );
    const [row] = await query<{ c: unknown }>(databaseUrl, "SELECT to_regclass('c') AS c");
    expect(row?.c).toBeNull();
    await write('20260103000000_third', 'CREATE TABLE c (id int);');
    expect(await migrate({ databaseUrl, dir })).toEqual(['20260103000000_third']);
  });

  it('builds an index without blocking writes, with several runners at once, and again after an interrupted build', async () => {
    await write(
      '20260103000000_third',
      '-- no transaction\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS a_name_key ON a (name);',
    );
    await write('20260102500000_between', "INSERT INTO a (id, name) VALUES (1, 'x'), (2, 'x');");
    await expect(migrate({ databaseUrl, dir })).rejects.toThrow('could not create unique index');
    const valid = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'a_name_key'::regclass";
    expect(await query(databaseUrl, valid)).toEqual([{ indisvalid: false }]);
    await query(databaseUrl, 'DELETE FROM a WHERE id = 2');
    const results = await Promise.all(Array.from({ length: 4 }, () => migrate({ databaseUrl, dir })));
    expect(results.flat()).toEqual(['20260103000000_third']);
    expect(await query(databaseUrl, valid)).toEqual([{ indisvalid: true }]);
  });

  it('refuses a migration that changed after it was applied', async () => {
    await migrate({ databaseUrl, dir });
    await write('20260101000000_first', 'CREATE TABLE other (id int);');
    await expect(migrate({ databaseUrl, dir })).rejects.toThrow(/"20260101000000_first" was changed after/);
  });

  it('lets an older release start on a newer database', async () => {
    const newer = `${dir}-newer`;
    folders.push(newer);
    await cp(dir, newer, { recursive: true });
    await mkdir(join(newer, '20260109000000_later'));
    await writeFile(join(newer, '20260109000000_later', 'migration.sql'), 'CREATE TABLE z (id int);');
    await migrate({ databaseUrl, dir: newer });
    expect(await migrate({ databaseUrl, dir })).toEqual([]);
  });

  it('reports a folder without its file', async () => {
    await mkdir(join(dir, '20260103000000_empty'));
    await expect(migrate({ databaseUrl, dir })).rejects.toThrow(/"20260103000000_empty" has no readable/);
  });

  it('waits for an unavailable database, if configured', async () => {
    const server = await faultProxy(databaseUrl);
    server.cut();
    await expect(migrate({ databaseUrl: server.url, dir })).rejects.toThrow();
    const reasons: string[] = [];
    const migrating = migrate({ databaseUrl: server.url, dir, onWait: (reason) => reasons.push(reason) });
    await eventually(() => expect(reasons).toHaveLength(1));
    server.restore();
    expect(await migrating).toHaveLength(2);
    await server.close();
  });

  it('does not wait for permanent errors', async () => {
    await write('20260103000000_broken', 'CREATE TABLE a (id int);');
    const migrating = migrate({ databaseUrl, dir, onWait: () => undefined });
    await expect(migrating).rejects.toThrow(/"20260103000000_broken" failed/);
  });
});
