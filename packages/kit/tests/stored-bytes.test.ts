import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually, kitDatabase, type SqlClient, sqlClient, type TestDatabase } from '@parley/testkit';
import { createStoredBytes } from '../src/usage/index.ts';

let database: TestDatabase;
let sql: SqlClient;
beforeAll(async () => {
  database = await kitDatabase();
  sql = sqlClient(database.url);
});
afterAll(async () => {
  await sql.close();
  await database.drop();
});

const PARENTS = 100_000;

it('reads a sample of a table, and only the parents of the sampled rows [trust.6]', async () => {
  const [large, small] = [randomUUID(), randomUUID()];
  await sql.$executeRaw`CREATE TABLE parents (id int PRIMARY KEY, workspace_id uuid NOT NULL)`;
  await sql.$executeRaw`CREATE TABLE children (parent_id int NOT NULL, filler char(7000) NOT NULL DEFAULT '')`;
  // One row a page.
  await sql.$executeRaw`ALTER TABLE children ALTER filler SET STORAGE PLAIN`;
  await sql.$executeRaw`
    INSERT INTO parents SELECT n, CASE WHEN n % 4 = 0 THEN ${small}::uuid ELSE ${large}::uuid END
    FROM generate_series(1, ${PARENTS}::int) AS n`;
  await sql.$executeRaw`INSERT INTO children SELECT n FROM generate_series(1, 4000) AS n`;
  await sql.$executeRaw`VACUUM ANALYZE parents, children`;
  const before = await rowsRead('parents');

  const join = 'JOIN parents p ON p.id = t.parent_id';
  const table = { name: 'children', parent: { column: 'parent_id', join, workspace: 'p.workspace_id' } };
  const { total, workspaces } = await createStoredBytes(sql, [table])();

  expect(total).toBeGreaterThan(4_000 * 8_000);
  expect(workspaces.map(({ workspace_id }) => workspace_id)).toEqual([large, small]);
  const share = (workspaces[0]?.bytes ?? 0) / total;
  expect(share).toBeGreaterThan(0.6);
  expect(share).toBeLessThan(0.9);
  expect(await readSince('parents', before)).toBeLessThan(2_000);
}, 60_000);

it('looks up a sample of the parents, however many the sampled rows have', async () => {
  const [large, small] = [randomUUID(), randomUUID()];
  await sql.$executeRaw`CREATE TABLE owners (id int PRIMARY KEY, workspace_id uuid NOT NULL)`;
  await sql.$executeRaw`CREATE TABLE things (owner_id int NOT NULL)`;
  await sql.$executeRaw`
    INSERT INTO owners SELECT n, CASE WHEN n % 4 = 0 THEN ${small}::uuid ELSE ${large}::uuid END
    FROM generate_series(1, 20000) AS n`;
  await sql.$executeRaw`INSERT INTO things SELECT n FROM generate_series(1, 20000) AS n`;
  await sql.$executeRaw`VACUUM ANALYZE owners, things`;
  const before = await rowsRead('owners');

  const parent = {
    column: 'owner_id',
    join: 'JOIN owners o ON o.id = t.owner_id',
    workspace: 'o.workspace_id',
  };
  const { total, workspaces } = await createStoredBytes(sql, [{ name: 'things', parent }])();

  expect(workspaces.map(({ workspace_id }) => workspace_id)).toEqual([large, small]);
  const share = (workspaces[0]?.bytes ?? 0) / total;
  expect(share).toBeGreaterThan(0.7);
  expect(share).toBeLessThan(0.8);
  expect(await readSince('owners', before)).toBeLessThan(5_000);
}, 60_000);

/** Statistics of the server come a moment later. */
const readSince = (table: string, before: number): Promise<number> =>
  eventually(async () => {
    const count = (await rowsRead(table)) - before;
    expect(count).toBeGreaterThan(0);
    return count;
  });

async function rowsRead(table: string): Promise<number> {
  const [row] = await sql.$queryRaw<{ rows: number }[]>`
    SELECT (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)
      + (SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes i WHERE i.relid = t.relid))::int AS rows
    FROM pg_stat_user_tables t WHERE relname = ${table}`;
  return row?.rows ?? 0;
}
