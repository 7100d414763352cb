import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { kitDatabase, type SqlClient, sqlClient, type TestDatabase } from '@parley/testkit';
import {
  createErasedNumbers,
  createRemover,
  type RemovalStep,
  replaceMentions,
  walkTable,
} from '../src/removal/index.ts';

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

const NUMBER = '+14155550123';
/** Removes by this step; `timeoutMs`: of each statement. */
const removerOf = (step: RemovalStep, timeoutMs = 10_000) =>
  createRemover({
    transact: (work) =>
      sql.$transaction(async (tx) => {
        await tx.$executeRaw`SELECT set_config('statement_timeout', ${String(timeoutMs)}, true)`;
        return work(tx);
      }),
    erasure: [step],
    workspace: [],
    service: 'gateway',
    amqp: { rewriteDeadLetters: async () => ({ changed: 0, left: 0 }) },
    erasedNumbers: createErasedNumbers({ client: sql, keys: [Buffer.alloc(32, 1)] }),
  });
const OF_PARENT = 'EXISTS (SELECT FROM parents p WHERE p.id = t.parent_id AND p.workspace_id = $1::uuid)';

it('does not read the texts of other workspaces', async () => {
  const [own, other] = [randomUUID(), randomUUID()];
  await sql.$executeRaw`CREATE TABLE parents (id int PRIMARY KEY, workspace_id uuid NOT NULL)`;
  await sql.$executeRaw`CREATE TABLE notes (parent_id int NOT NULL, body text NOT NULL)`;
  await sql.$executeRaw`INSERT INTO parents VALUES (1, ${own}::uuid), (2, ${other}::uuid)`;
  await sql.$executeRaw`INSERT INTO notes VALUES (1, 'call 14155550123'), (2, 'call 14155550123')`;
  await sql.$executeRaw`INSERT INTO notes SELECT 2, repeat('call 1415555012 ', 500000) FROM generate_series(1, 60)`;
  const step = walkTable('notes', [replaceMentions({ columns: { body: 'text' }, ofWorkspace: OF_PARENT })]);
  const target = { removalId: randomUUID(), workspaceId: own, phoneNumber: NUMBER, keepDoNotCall: false };
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
  const target = { removalId: randomUUID(), workspaceId, phoneNumber: NUMBER, keepDoNotCall: false };
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

it('waits five seconds for consumers after the first batch that succeeds, also if one before it timed out [trust.19]', async () => {
  const seen: number[] = [];
  const remover = removerOf(async (_tx, { halvings }) => {
    seen.push(halvings);
    // As Prisma does when a transaction takes too long.
    if (halvings < 2) throw Object.assign(new Error('Transaction already closed'), { code: 'P2028' });
    return { next: null };
  });
  const target = {
    removalId: randomUUID(),
    workspaceId: randomUUID(),
    phoneNumber: NUMBER,
    keepDoNotCall: false,
  };
  for (let n = 0; n < 2; n += 1) await expect(remover.advance(target, 1)).rejects.toThrow('closed');
  // The retry comes a minute later. Until then no consumer has known the number: the batches were rolled back.
  const rows = await sql.$queryRaw`
    UPDATE removals SET began_at = began_at - interval '1 minute' WHERE id = ${target.removalId}::uuid RETURNING number_mac`;
  expect(rows).toEqual([{ number_mac: null }]);
  let progress = await remover.advance(target, 1);
  while (!progress.done) progress = await remover.advance(target, 1);
  expect([seen, progress.waiting]).toEqual([[0, 1, 2], 'messages in progress']);
});
