import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { kitDatabase, type SqlClient, sqlClient, type TestDatabase } from '@parley/testkit';
import { replaceMentions } from '../src/removal/index.ts';

let database: TestDatabase;
let sql: SqlClient;
beforeAll(async () => {
  database = await kitDatabase('outbox');
  sql = sqlClient(database.url);
});
afterAll(async () => {
  await sql.close();
  await database.drop();
});

const NUMBER = '+14155550123';
const OF_PARENT = 'EXISTS (SELECT FROM parents p WHERE p.id = t.parent_id AND p.workspace_id = $1::uuid)';

it('does not read the texts of other workspaces', async () => {
  const [own, other] = [randomUUID(), randomUUID()];
  await sql.$executeRaw`CREATE TABLE parents (id int PRIMARY KEY, workspace_id uuid NOT NULL)`;
  await sql.$executeRaw`CREATE TABLE notes (parent_id int NOT NULL, body text NOT NULL)`;
  await sql.$executeRaw`INSERT INTO parents VALUES (1, ${own}::uuid), (2, ${other}::uuid)`;
  await sql.$executeRaw`INSERT INTO notes VALUES (1, 'call 14155550123'), (2, 'call 14155550123')`;
  await sql.$executeRaw`INSERT INTO notes SELECT 2, repeat('call 1415555012 ', 500000) FROM generate_series(1, 60)`;
  const step = replaceMentions({ table: 'notes', columns: { body: 'text' }, ofWorkspace: OF_PARENT });
  const target = { removalId: randomUUID(), workspaceId: own, phoneNumber: NUMBER, keepDoNotCall: false };
  const result = await sql.$transaction(async (tx) => {
    // Reading the texts of the other workspace takes seconds.
    await tx.$executeRaw`SET LOCAL statement_timeout = 300`;
    return step(tx, { ...target, sinceXid: null }, null);
  });
  expect(result).toEqual({ removed: { notes: 1 }, next: null });
  const rows = await sql.$queryRaw`SELECT parent_id, body FROM notes WHERE length(body) < 100 ORDER BY 1`;
  expect(rows).toEqual([
    { parent_id: 1, body: 'call 10000000000' },
    { parent_id: 2, body: 'call 14155550123' },
  ]);
}, 60_000);
