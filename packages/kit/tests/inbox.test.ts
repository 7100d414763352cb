import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kitDatabase, type SqlClient, sqlClient, type TestDatabase } from '@parley/testkit';
import { once, onceEach, sweepInbox } from '../src/inbox/index.ts';
import { gate } from './support/gate.ts';

let database: TestDatabase;
let sql: SqlClient;

beforeAll(async () => {
  database = await kitDatabase('inbox');
  sql = sqlClient(database.url, { max: 10 });
});
afterAll(async () => {
  await sql.close();
  await database.drop();
});

const see = (id: string, consumer = 'effect') => sql.$transaction((tx) => once(tx, consumer, id));

describe('once', () => {
  it('is true the first time and false afterwards, for each consumer', async () => {
    const id = randomUUID();
    expect([await see(id), await see(id), await see(id, 'other'), await see(randomUUID())]).toEqual([
      true,
      false,
      true,
      true,
    ]);
  });

  it('is true for one of many concurrent callers', async () => {
    const id = randomUUID();
    const answers = await Promise.all(Array.from({ length: 10 }, () => see(id)));
    expect(answers.filter(Boolean)).toHaveLength(1);
  });

  it('is true again after a rollback, which a concurrent caller waits for', async () => {
    const id = randomUUID();
    const door = gate();
    const inside = gate();
    const first = sql.$transaction(async (tx) => {
      await once(tx, 'effect', id);
      inside.open();
      await door.passed;
      throw new Error('the effect failed');
    });
    await inside.passed;
    const second = see(id);
    door.open();
    await expect(first).rejects.toThrow('the effect failed');
    expect(await second).toBe(true);
  });
});

describe('onceEach', () => {
  it('answers for each message, whatever was recorded before, including duplicates in any case', async () => {
    const [seen, first, second] = [randomUUID(), randomUUID(), randomUUID()] as const;
    await see(seen);
    const ids = [first, seen, second.toUpperCase(), first];
    expect(await sql.$transaction((tx) => onceEach(tx, 'effect', ids))).toEqual([true, false, true, false]);
    expect([await see(first), await see(second), await see(first, 'other')]).toEqual([false, false, true]);
  });

  it('never deadlocks when transactions share messages', async () => {
    const ids = Array.from({ length: 50 }, () => randomUUID());
    const orders = Array.from({ length: 8 }, (_, i) => [...ids.slice(i * 6), ...ids.slice(0, i * 6)]);
    const answers = await Promise.all(
      orders.map((order) => sql.$transaction((tx) => onceEach(tx, 'effect', order))),
    );
    expect(answers.flat().filter(Boolean)).toHaveLength(ids.length);
  });
});

describe('the inbox sweep', () => {
  it('removes rows older than seven days', async () => {
    await sql.$executeRaw`DELETE FROM inbox`;
    await sql.$executeRaw`INSERT INTO inbox (consumer, message_id, at)
       SELECT 'old', gen_random_uuid(), clock_timestamp() - interval '7 days 1 second' FROM generate_series(1, 1200)
       UNION ALL
       SELECT 'new', gen_random_uuid(), clock_timestamp() - interval '6 days 23 hours' FROM generate_series(1, 5)`;
    expect([await sweepInbox(sql), await sweepInbox(sql), await sweepInbox(sql)]).toEqual([1000, 200, 0]);
    expect(await sql.$queryRaw`SELECT DISTINCT consumer FROM inbox`).toEqual([{ consumer: 'new' }]);
  });
});
