import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually, kitDatabase, type SqlClient, sqlClient, type TestDatabase } from '@parley/testkit';
import { type RemovalStep, replaceMentions, walkTable } from '../src/removal/index.ts';
import { createTestRemover, newTarget } from './test-remover.ts';

let database: TestDatabase;
let sql: SqlClient;
beforeAll(async () => {
  database = await kitDatabase('removals');
  sql = sqlClient(database.url);
});
afterAll(async () => {
  await sql.close();
  await database.drop();
});

const removerOf = (step: RemovalStep, timeoutMs?: number) => createTestRemover(sql, [step], timeoutMs);
const OF_PARENT = 'EXISTS (SELECT FROM parents p WHERE p.id = t.parent_id AND p.workspace_id = $1::uuid)';

it('does not read the texts of other workspaces', async () => {
  const [own, other] = [randomUUID(), randomUUID()];
  await sql.$executeRaw`CREATE TABLE parents (id int PRIMARY KEY, workspace_id uuid NOT NULL)`;
  await sql.$executeRaw`CREATE TABLE notes (parent_id int NOT NULL, body text NOT NULL)`;
  await sql.$executeRaw`INSERT INTO parents VALUES (1, ${own}::uuid), (2, ${other}::uuid)`;
  await sql.$executeRaw`INSERT INTO notes VALUES (1, 'call 14155550123'), (2, 'call 14155550123')`;
  await sql.$executeRaw`INSERT INTO notes SELECT 2, repeat('call 1415555012 ', 500000) FROM generate_series(1, 60)`;
  const step = walkTable('notes', [replaceMentions({ columns: { body: 'text' }, ofWorkspace: OF_PARENT })]);
  const target = {
    removalId: randomUUID(),
    workspaceId: own,
    phoneNumber: '+14155550123',
    keepDoNotCall: false,
  };
  const result = await sql.$transaction(async (tx) => {
    // Reading the texts of the other workspace takes seconds.
    await tx.$executeRaw`SET LOCAL statement_timeout = 300`;
    return step(tx, { ...target, sinceXid: null, halvings: 0 }, null);
  });
  expect(result).toEqual({ removed: { notes: 1 }, waiting: null, next: null });
  const rows = await sql.$queryRaw`SELECT parent_id, body FROM notes WHERE length(body) < 100 ORDER BY 1`;
  expect(rows).toEqual([
    { parent_id: 1, body: 'call 10000000000' },
    { parent_id: 2, body: 'call 14155550123' },
  ]);
}, 60_000);

it('reads fewer pages at once after a timeout, down to a single one, and then more again [trust.19]', async () => {
  const workspaceId = randomUUID();
  await sql.$executeRaw`
    CREATE TABLE slow_notes (workspace_id uuid NOT NULL, body text NOT NULL, filler char(7000) NOT NULL DEFAULT '')`;
  // One row a page; the first three are so slow that two of them time out.
  await sql.$executeRaw`ALTER TABLE slow_notes ALTER filler SET STORAGE PLAIN`;
  await sql.$executeRaw`
    INSERT INTO slow_notes SELECT ${workspaceId}::uuid, 'call 14155550123 ' || n FROM generate_series(1, 12) AS n`;
  await sql.$executeRaw`
    CREATE FUNCTION be_slow() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF split_part(OLD.body, ' ', 3)::int <= 3 THEN PERFORM pg_sleep(0.3); END IF;
      RETURN NEW;
    END $$`;
  await sql.$executeRaw`CREATE TRIGGER slow BEFORE UPDATE ON slow_notes FOR EACH ROW EXECUTE FUNCTION be_slow()`;
  const remover = removerOf(walkTable('slow_notes', [replaceMentions({ columns: { body: 'text' } })]), 500);
  const target = { removalId: randomUUID(), workspaceId, phoneNumber: '+14155550123', keepDoNotCall: false };
  let timeouts = 0;
  const advance = async (): Promise<boolean> => {
    try {
      return (await remover.advance(target, 1)).done;
    } catch (err) {
      expect(err).toMatchObject({ code: '57014' });
      timeouts += 1;
      return false;
    }
  };
  while (!(await advance())) expect(timeouts).toBeLessThan(20);
  // From 256 pages to one, and twice when two slow rows are tried together again.
  expect(timeouts).toBeGreaterThanOrEqual(8);
  const left = await sql.$queryRaw`SELECT body FROM slow_notes WHERE body LIKE '%14155550123%'`;
  expect(left).toEqual([]);
  const [{ halvings } = { halvings: -1 }] = await sql.$queryRaw<{ halvings: number }[]>`
    SELECT halvings FROM removals WHERE id = ${target.removalId}::uuid`;
  expect(halvings).toBeLessThan(8);
}, 60_000);

it('waits for a row that a transaction in progress has changed: its new version is not visible yet', async () => {
  const target = newTarget();
  await sql.$executeRaw`CREATE TABLE live_notes (workspace_id uuid NOT NULL, body text NOT NULL, n int NOT NULL DEFAULT 0)`;
  await sql.$executeRaw`INSERT INTO live_notes VALUES (${target.workspaceId}::uuid, 'call 14155550123')`;
  const remover = removerOf(walkTable('live_notes', [replaceMentions({ columns: { body: 'text' } })]));
  let isChanged = false;
  const changing = sql.$transaction(async (tx) => {
    await tx.$executeRaw`UPDATE live_notes SET n = 1`;
    isChanged = true;
    await eventually(async () => {
      const waiting = await sql.$queryRaw`SELECT FROM pg_locks WHERE NOT granted`;
      expect(waiting).not.toEqual([]);
    });
  });
  await eventually(() => expect(isChanged).toBe(true));
  const first = await remover.advance(target, 1);
  await changing;
  expect(first.waiting).toBe('a row that is being changed');
  await remover.advance(target, 2);
  expect(await sql.$queryRaw`SELECT body FROM live_notes`).toEqual([{ body: 'call 10000000000' }]);
});

it('waits for a row that a transaction in progress has moved to an earlier page', async () => {
  const target = newTarget();
  // One row a page.
  await sql.$executeRaw`
    CREATE TABLE moved_notes (workspace_id uuid NOT NULL, body text NOT NULL, n int NOT NULL, filler char(7000) NOT NULL DEFAULT '')`;
  await sql.$executeRaw`ALTER TABLE moved_notes ALTER filler SET STORAGE PLAIN`;
  await sql.$executeRaw`
    INSERT INTO moved_notes SELECT ${target.workspaceId}::uuid, 'call 14155550123', n FROM generate_series(0, 2) AS n`;
  await sql.$executeRaw`DELETE FROM moved_notes WHERE n < 2`;
  await sql.$executeRaw`VACUUM moved_notes`;
  // Batches of one page.
  await sql.$executeRaw`
    INSERT INTO removals (id, workspace_id, pass, halvings) VALUES (${target.removalId}::uuid, ${target.workspaceId}::uuid, 1, 12)`;
  const remover = removerOf(walkTable('moved_notes', [replaceMentions({ columns: { body: 'text' } })]));
  let place: unknown;
  const changing = sql.$transaction(async (tx) => {
    place = await tx.$queryRaw`UPDATE moved_notes SET n = 3 RETURNING ctid::text`;
    await eventually(async () => {
      const waiting = await sql.$queryRaw`SELECT FROM pg_locks WHERE NOT granted`;
      expect(waiting).not.toEqual([]);
    });
  });
  await eventually(() => expect(place).toEqual([{ ctid: '(0,1)' }]));
  const first = await remover.advance(target, 1);
  await changing;
  expect(first.waiting).toBe('a row that is being changed');
  await remover.advance(target, 2);
  expect(await sql.$queryRaw`SELECT body FROM moved_notes`).toEqual([{ body: 'call 10000000000' }]);
});
