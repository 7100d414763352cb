import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import {
  createPrismaAdapter,
  isLockTimeout,
  isTransactionConflict,
  isTransactionTimeout,
  type Transactional,
  transaction,
  uniqueViolation,
} from '../src/db/index.ts';
import { isConnectivityError } from '../src/errors/index.ts';
import { newId } from '../src/ids/index.ts';
import { createLogger } from '../src/log/index.ts';

const databaseUrl = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test';
const table = `kit_db_${newId().replaceAll('-', '')}`;
const log = createLogger({ service: 'test', level: 'silent' });
const client = new Client({ connectionString: databaseUrl });

function factory(url: string, statementTimeoutMs?: number) {
  const options = { databaseUrl: url, pool: 1, applicationName: 'kit-test', log };
  return createPrismaAdapter(statementTimeoutMs === undefined ? options : { ...options, statementTimeoutMs });
}

async function failureOf(url: string, sql: string, statementTimeoutMs?: number): Promise<unknown> {
  const adapter = await factory(url, statementTimeoutMs).connect();
  try {
    await adapter.executeRaw({ sql, args: [], argTypes: [] });
  } catch (err) {
    return err;
  } finally {
    await adapter.dispose();
  }
  throw new Error('nothing failed');
}

beforeAll(async () => {
  await client.connect();
  await client.query(`CREATE TABLE ${table} (id int, name text, CONSTRAINT ${table}_name UNIQUE (name))`);
  await client.query(`INSERT INTO ${table} VALUES (1, 'a')`);
});

afterAll(async () => {
  await client.query(`DROP TABLE ${table}`);
  await client.end();
});

describe('isTransactionTimeout', () => {
  it('recognizes a statement that took too long, and a transaction of Prisma', async () => {
    expect(
      isTransactionTimeout(await failureOf(databaseUrl, 'SET statement_timeout = 50; SELECT pg_sleep(5)')),
    ).toBe(true);
    expect(isTransactionTimeout(Object.assign(new Error('closed'), { code: 'P2028' }))).toBe(true);
  });

  it('ignores other errors', async () => {
    expect(isTransactionTimeout(await failureOf(databaseUrl, 'SELECT * FROM nowhere'))).toBe(false);
  });
});

describe('createPrismaAdapter', () => {
  it("reads and writes the same times, whatever the server's time zone", async () => {
    const name = `${table}_zone`;
    await client.query(`CREATE DATABASE ${name} TEMPLATE template0`);
    await client.query(`ALTER DATABASE ${name} SET timezone TO 'Asia/Kolkata'`);
    const url = new URL(databaseUrl);
    url.pathname = `/${name}`;
    const adapter = await factory(url.href).connect();
    try {
      const sql = `SELECT '2026-01-01T00:00:00Z'::timestamptz AS read, '2026-01-01 00:00:00'::timestamptz AS written`;
      const { rows } = await adapter.queryRaw({ sql, args: [], argTypes: [] });
      expect(rows).toEqual([['2026-01-01T00:00:00+00:00', '2026-01-01T00:00:00+00:00']]);
    } finally {
      await adapter.dispose();
      await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
    }
  });
});

describe('prepared statements', () => {
  const late = `${table}_late`;
  const int = { scalarType: 'int', arity: 'scalar' } as const;
  const count = { sql: `SELECT count(*)::int FROM ${late} WHERE id = $1`, args: [1], argTypes: [int] };
  const prepared = {
    sql: 'SELECT count(*)::int FROM pg_prepared_statements WHERE statement = $1',
    args: [count.sql],
    argTypes: [{ scalarType: 'string', arity: 'scalar' } as const],
  };

  it('are parsed once, and again after a migration', async () => {
    const adapter = await factory(databaseUrl).connect();
    const answer = async (query: typeof count | typeof prepared) => (await adapter.queryRaw(query)).rows[0];
    try {
      // A process may start before the table exists.
      await expect(answer(count)).rejects.toThrow();
      await client.query(`CREATE TABLE ${late} (id int)`);
      await client.query(`INSERT INTO ${late} VALUES (1)`);
      for (let n = 0; n < 10; n += 1) expect(await answer(count)).toEqual([1]);
      expect(await answer(prepared)).toEqual([1]);
      await client.query(`ALTER TABLE ${late} ADD COLUMN name text; CREATE INDEX ON ${late} (id)`);
      expect(await answer(count)).toEqual([1]);
    } finally {
      await adapter.dispose();
      await client.query(`DROP TABLE IF EXISTS ${late}`);
    }
  });
});

describe('uniqueViolation', () => {
  it("names the constraint, through Prisma's driver and through pg", async () => {
    const insert = `INSERT INTO ${table} VALUES (2, 'a')`;
    expect(uniqueViolation(await failureOf(databaseUrl, insert))).toEqual({ constraint: `${table}_name` });
    const err: unknown = await client.query(insert).catch((failure: unknown) => failure);
    expect(uniqueViolation(err)).toEqual({ constraint: `${table}_name` });
  });

  it('recognizes the errors that Prisma wraps, for models and for raw queries', () => {
    const cause = {
      originalCode: '23505',
      kind: 'UniqueConstraintViolation',
      constraint: { index: 'calls_pkey' },
    };
    for (const code of ['P2002', 'P2010']) {
      const err = Object.assign(new Error('x'), { code, meta: { driverAdapterError: { cause } } });
      expect(uniqueViolation(err)).toEqual({ constraint: 'calls_pkey' });
    }
  });

  it('ignores other errors', async () => {
    expect(uniqueViolation(await failureOf(databaseUrl, 'SELECT * FROM nowhere'))).toBeUndefined();
    expect(uniqueViolation(new Error('x'))).toBeUndefined();
  });
});

describe('isLockTimeout', () => {
  it("recognizes a row that was locked for too long, through Prisma's driver and through pg", async () => {
    const holder = new Client({ connectionString: databaseUrl });
    await holder.connect();
    try {
      await holder.query(`BEGIN; UPDATE ${table} SET id = id`);
      const update = `SET lock_timeout = 50; UPDATE ${table} SET id = id`;
      const errors = [await failureOf(databaseUrl, update), await client.query(update).catch((err) => err)];
      expect(errors.map(isLockTimeout)).toEqual([true, true]);
      expect(errors.map(isTransactionConflict)).toEqual([false, false]);
    } finally {
      await holder.end();
      await client.query('RESET lock_timeout');
    }
  });

  it('ignores other errors', async () => {
    expect(isLockTimeout(await failureOf(databaseUrl, 'SELECT pg_sleep(5)', 50))).toBe(false);
  });
});

describe('createPrismaAdapter', () => {
  it('gives a statement a deadline', async () => {
    const err = await failureOf(databaseUrl, 'SELECT pg_sleep(5)', 100);
    expect(String(err)).toContain('statement timeout');
    expect(isConnectivityError(err)).toBe(false);
  });

  it('fails quickly and recognizably without a database', async () => {
    expect(isConnectivityError(await failureOf('postgres://postgres@127.0.0.1:1/x', 'SELECT 1'))).toBe(true);
  });

  it('survives the loss of its connections', async () => {
    const adapter = await factory(databaseUrl).connect();
    const select = { sql: 'SELECT pg_backend_pid()', args: [], argTypes: [] };
    const [pid] = (await adapter.queryRaw(select)).rows[0] ?? [];
    await client.query('SELECT pg_terminate_backend($1)', [pid]);
    const result = await adapter.queryRaw(select).catch((err: unknown) => err);
    expect(result instanceof Error ? isConnectivityError(result) : true).toBe(true);
    expect((await adapter.queryRaw(select)).rows).toHaveLength(1);
    await adapter.dispose();
  });
});

describe('transaction', () => {
  /** What Prisma does, over one connection. */
  const transactional: Transactional<Client> = {
    $transaction: async (work) => {
      const tx = new Client({ connectionString: databaseUrl });
      await tx.connect();
      try {
        await tx.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
        const result = await work(tx);
        await tx.query('COMMIT');
        return result;
      } finally {
        await tx.end();
      }
    },
  };

  it('runs again after a serialization failure', async () => {
    let runs = 0;
    await transaction(transactional, async (tx) => {
      runs += 1;
      await tx.query(`SELECT * FROM ${table}`);
      if (runs < 3) await client.query(`UPDATE ${table} SET id = id + 1`);
      await tx.query(`UPDATE ${table} SET id = id + 10`);
    });
    expect(runs).toBe(3);
  });

  it('gives up after its attempts, and at once on any other error', async () => {
    let runs = 0;
    const conflicting = transaction(
      transactional,
      async (tx) => {
        runs += 1;
        await tx.query(`SELECT * FROM ${table}`);
        await client.query(`UPDATE ${table} SET id = id + 1`);
        await tx.query(`UPDATE ${table} SET id = id + 10`);
      },
      { attempts: 2 },
    );
    expect(isTransactionConflict(await conflicting.catch((err: unknown) => err))).toBe(true);
    expect(runs).toBe(2);

    const failing = transaction(transactional, async () => {
      runs += 1;
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(runs).toBe(3);
  });
});
