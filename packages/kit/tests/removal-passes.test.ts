import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { kitDatabase, type SqlClient, sqlClient, type TestDatabase } from '@parley/testkit';
import { z } from 'zod';
import { queryRows, raw, sql as statement } from '../src/db/index.ts';
import { type PageStep, type RemovalStep, replaceMentions, walkTable } from '../src/removal/index.ts';
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

const xidRow = z.object({ xid: z.string() });
const removerOf = (...steps: RemovalStep[]) => createTestRemover(sql, steps);

/** A table with one row a page. */
async function createPages(table: string, count: number): Promise<void> {
  await sql.$executeRaw`CREATE TABLE ${raw(table)} (body text NOT NULL, filler char(7000) NOT NULL DEFAULT '')`;
  await sql.$executeRaw`ALTER TABLE ${raw(table)} ALTER filler SET STORAGE PLAIN`;
  await sql.$executeRaw`INSERT INTO ${raw(table)} SELECT 'page ' || n FROM generate_series(0, ${count - 1}::int) AS n`;
}

it('pages with nothing to remove share a transaction, and others are committed at once [trust.19]', async () => {
  await createPages('quiet_notes', 60);
  const transactions: string[][] = [];
  const step: PageStep = async (tx, _target, pages) => {
    const [{ xid } = { xid: '' }] = await queryRows(
      tx,
      xidRow,
      statement`SELECT pg_current_xact_id()::text AS xid`,
    );
    const last = transactions.at(-1);
    if (last?.[0] === xid) last.push(pages.from);
    else transactions.push([xid, pages.from]);
    return { removed: { quiet_notes: pages.from === '(21,0)' ? 1 : 0 } };
  };
  const remover = removerOf(walkTable('quiet_notes', [step]));
  const target = newTarget();
  // Batches of one page, then of two.
  await sql.$executeRaw`
    INSERT INTO removals (id, workspace_id, pass, halvings) VALUES (${target.removalId}::uuid, ${target.workspaceId}::uuid, 1, 9)`;
  let progress = await remover.advance(target, 1);
  while (!progress.done) progress = await remover.advance(target, 1);
  expect(progress.removed).toEqual({ quiet_notes: 1 });
  const pages = transactions.map(([, ...from]) => from);
  expect(pages[0]).toEqual(['(0,0)']);
  expect(pages.flat()).toEqual([...new Set(pages.flat())]);
  // The end of a request ends a transaction, too.
  expect(pages.length).toBeLessThan(10);
  expect(pages.some((from) => from.at(-1) === '(21,0)')).toBe(true);
});

it('consumers know the number from the first batch of a pass on [trust.19]', async () => {
  await createPages('known_notes', 300);
  const known: boolean[] = [];
  const target = newTarget();
  const step: PageStep = async () => {
    const rows = await sql.$queryRaw<
      unknown[]
    >`SELECT FROM removals WHERE id = ${target.removalId}::uuid AND number_mac IS NOT NULL`;
    known.push(rows.length === 1);
    return { removed: {} };
  };
  await removerOf(walkTable('known_notes', [step])).advance(target, 1);
  expect(known).toEqual([false, true]);
});

it('waits five seconds for consumers after the first batch that succeeds, also if one before it timed out [trust.19]', async () => {
  const seen: number[] = [];
  const remover = removerOf(async (_tx, { halvings }) => {
    seen.push(halvings);
    // As Prisma does when a transaction takes too long.
    if (halvings < 2) throw Object.assign(new Error('Transaction already closed'), { code: 'P2028' });
    return { next: null };
  });
  const target = newTarget();
  for (let n = 0; n < 2; n += 1) await expect(remover.advance(target, 1)).rejects.toThrow('closed');
  // The retry comes a minute later. Until then no consumer has known the number: the batches were rolled back.
  const rows = await sql.$queryRaw`
    UPDATE removals SET began_at = began_at - interval '1 minute' WHERE id = ${target.removalId}::uuid RETURNING number_mac`;
  expect(rows).toEqual([{ number_mac: null }]);
  let progress = await remover.advance(target, 1);
  while (!progress.done) progress = await remover.advance(target, 1);
  expect([seen, progress.waiting]).toEqual([[0, 1, 2], 'messages in progress']);
});

it('a pass that another version has taken part in begins again, and reads old rows [trust.19]', async () => {
  const target = newTarget();
  const tables = ['notes_a', 'notes_b', 'notes_c', 'notes_d'];
  for (const table of tables) {
    await sql.$executeRaw(
      statement`CREATE TABLE ${raw(table)} (workspace_id uuid NOT NULL, body text NOT NULL)`,
    );
    await sql.$executeRaw(
      statement`INSERT INTO ${raw(table)} VALUES (${target.workspaceId}::uuid, 'call 14155550123')`,
    );
  }
  const [a, b, c, d] = tables.map((table) =>
    walkTable(table, [replaceMentions({ columns: { body: 'text' } })]),
  );
  if (!(a && b && c && d)) throw new Error('there are four tables');
  const replaced: RemovalStep = () => Promise.reject(new Error('replaced by the next version'));
  await expect(removerOf(a, a, replaced, b, c, d).advance(target, 1)).rejects.toThrow('replaced');
  const next = removerOf(a, b, c, d);
  const found: number[] = [];
  for (const pass of [1, 2]) {
    let progress = await next.advance(target, pass);
    while (!progress.done) progress = await next.advance(target, pass);
    found.push(progress.found);
  }
  expect(found).toEqual([4, 0]);
  for (const table of tables)
    expect(await sql.$queryRaw(statement`SELECT body FROM ${raw(table)}`)).toEqual([
      { body: 'call 10000000000' },
    ]);
});

it('a pass after one that an earlier version has finished reads old rows', async () => {
  const target = newTarget();
  await sql.$executeRaw`CREATE TABLE notes_e (workspace_id uuid NOT NULL, body text NOT NULL)`;
  await sql.$executeRaw`INSERT INTO notes_e VALUES (${target.workspaceId}::uuid, 'call 14155550123')`;
  const nothing: RemovalStep = async () => ({ next: null });
  let progress = await removerOf(nothing).advance(target, 1);
  while (!progress.done) progress = await removerOf(nothing).advance(target, 1);
  // As a version writes that knows no positions.
  await sql.$executeRaw`UPDATE removals SET position = NULL WHERE id = ${target.removalId}::uuid`;
  const next = removerOf(walkTable('notes_e', [replaceMentions({ columns: { body: 'text' } })]));
  progress = await next.advance(target, 2);
  while (!progress.done) progress = await next.advance(target, 2);
  expect(progress.found).toBe(1);
});

it('a pass begins again if its steps search something else than when its position was stored [trust.19]', async () => {
  await sql.$executeRaw`CREATE TABLE notes_f (workspace_id uuid NOT NULL, body text NOT NULL, title text NOT NULL)`;
  let isStopped = true;
  const last: RemovalStep = async () => {
    if (isStopped) throw new Error('stopped for the upgrade');
    return { next: null };
  };
  const nothing: PageStep = async () => ({ removed: {} });
  const search = (...names: string[]) =>
    replaceMentions({ columns: Object.fromEntries(names.map((name) => [name, 'text'])) });
  const cases: [what: string, before: PageStep, after: PageStep, body: string, title: string][] = [
    ['the same', search('body'), search('body'), 'of 14155550123', 'of 14155550123'],
    ['a column more', search('body'), search('body', 'title'), 'of 10000000000', 'of 10000000000'],
    ['other code', nothing, search('body'), 'of 10000000000', 'of 14155550123'],
  ];
  for (const [what, before, after, body, title] of cases) {
    const target = newTarget();
    isStopped = true;
    const stopped = removerOf(walkTable('notes_f', [before]), last).advance(target, 1);
    await expect(stopped).rejects.toThrow('stopped');
    await sql.$executeRaw`
      INSERT INTO notes_f VALUES (${target.workspaceId}::uuid, 'of 14155550123', 'of 14155550123')`;
    isStopped = false;
    const next = removerOf(walkTable('notes_f', [after]), last);
    let progress = await next.advance(target, 1);
    while (!progress.done) progress = await next.advance(target, 1);
    const rows =
      await sql.$queryRaw`SELECT body, title FROM notes_f WHERE workspace_id = ${target.workspaceId}::uuid`;
    expect([what, rows]).toEqual([what, [{ body, title }]]);
  }
});
