import { afterEach, describe, expect, it } from '@jest/globals';
import { urlOf, withAdmin } from '../src/admin-connection.ts';
import { eventually, kitDatabase, type SqlClient, sqlClient, type TestDatabase } from '../src/index.ts';
import { keepVacuumed } from '../src/keep-vacuumed.ts';

const opened: { database: TestDatabase; sql: SqlClient }[] = [];

async function open() {
  const database = await kitDatabase('inbox');
  const sql = sqlClient(database.url);
  opened.push({ database, sql });
  return { database, sql };
}

afterEach(async () => {
  for (const { database, sql } of opened.splice(0)) {
    await sql.close();
    await database.drop();
  }
});

const nameOf = ({ url }: TestDatabase) => new URL(url).pathname.slice(1);
const names = () =>
  withAdmin(async (admin) => {
    const { rows } = await admin.query<{ datname: string }>('SELECT datname FROM pg_database');
    return rows.map(({ datname }) => datname);
  });

describe('kitDatabase', () => {
  it('creates a database for each caller, also concurrently, from one template', async () => {
    const [a, b, c] = await Promise.all([open(), open(), open()]);
    await a.sql.$executeRaw`INSERT INTO inbox (consumer, message_id) VALUES ('a', gen_random_uuid())`;
    for (const { sql } of [b, c]) {
      expect(await sql.$queryRaw`SELECT consumer FROM inbox`).toEqual([]);
    }
    const templates = (await names()).filter((name) => name.startsWith('parley_template_kit_inbox_'));
    expect(templates.length).toBeGreaterThan(0);
  });

  it('drops it despite open connections', async () => {
    const { database, sql } = await open();
    await sql.$queryRaw`SELECT 1`;
    await database.drop();
    expect(await names()).not.toContain(nameOf(database));
  });

  it('drops the databases of a crashed run after an hour', async () => {
    const hourAgo = Math.floor(Date.now() / 1000) - 3_601;
    const [left, recent] = [`parley_test_${hourAgo}_crashed`, `parley_test_${hourAgo + 300}_running`];
    await withAdmin(async (admin) => {
      for (const name of [left, recent]) await admin.query(`CREATE DATABASE "${name}"`);
    });
    await open();
    const remaining = await names();
    await withAdmin((admin) => admin.query(`DROP DATABASE "${recent}"`));
    expect(remaining).not.toContain(left);
    expect(remaining).toContain(recent);
    expect(urlOf(recent)).toContain(recent);
  });
});

describe('keepVacuumed', () => {
  it('vacuums frequently changed tables, if the server does not', async () => {
    const { database, sql } = await open();
    const stop = await keepVacuumed(database.url, 200);
    await sql.$executeRaw`
      INSERT INTO inbox (consumer, message_id) SELECT 'a', gen_random_uuid() FROM generate_series(1, 5000)`;
    await sql.$executeRaw`DELETE FROM inbox`;
    await eventually(
      async () => {
        const [table] = await sql.$queryRaw<{ vacuumed: boolean }[]>`
          SELECT coalesce(last_vacuum, last_autovacuum) IS NOT NULL AS vacuumed FROM pg_stat_user_tables WHERE relname = 'inbox'`;
        expect(table?.vacuumed).toBe(true);
      },
      // A server with autovacuum looks once a minute.
      { timeoutMs: 120_000 },
    );
    await stop();
  });
});

describe('sqlClient', () => {
  it('commits what succeeds and rolls back what throws', async () => {
    const { sql } = await open();
    const insert = (tx: Pick<SqlClient, '$executeRaw'>, consumer: string) =>
      tx.$executeRaw`INSERT INTO inbox (consumer, message_id) VALUES (${consumer}, gen_random_uuid())`;
    expect(await sql.$transaction((tx) => insert(tx, 'kept'))).toBe(1);
    const failing = sql.$transaction(async (tx) => {
      await insert(tx, 'gone');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await sql.$queryRaw`SELECT consumer FROM inbox`).toEqual([{ consumer: 'kept' }]);
  });
});
