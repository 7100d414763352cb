import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, kitDatabase, type SqlClient, sqlClient, type TestDatabase } from '@parley/testkit';
import { type Amqp, MessageRefusedError } from '../src/amqp/index.ts';
import { createDedicatedConnection, sql as statement } from '../src/db/index.ts';
import { createLifecycle } from '../src/lifecycle/index.ts';
import { enqueue, type NewMessage } from '../src/outbox/index.ts';
import { relayBatch } from '../src/outbox/relay-batch.ts';
import { log } from './support/bus.ts';
import { message, outboxOn } from './support/outbox.ts';

let database: TestDatabase;
let sql: SqlClient;

beforeAll(async () => {
  database = await kitDatabase('outbox');
  sql = sqlClient(database.url, { max: 5 });
});
afterAll(async () => {
  await sql.close();
  await database.drop();
});

const waiting = async () => (await sql.$queryRaw<unknown[]>`SELECT FROM outbox`).length;

describe('the relay', () => {
  it('has few megabytes of messages in memory, also while it looks for a refused one [trust.4]', async () => {
    let bytes = 0;
    let mostBytes = 0;
    let published = 0;
    const amqp: Pick<Amqp, 'publish' | 'canPublish'> = {
      canPublish: () => true,
      publish: async ({ payload, traceparent }) => {
        bytes += payload.length;
        mostBytes = Math.max(mostBytes, bytes);
        await new Promise(setImmediate);
        bytes -= payload.length;
        if (traceparent === 'refused') throw new MessageRefusedError(new Error('no'));
        published += 1;
      },
    };
    const large = (version: number): NewMessage<'phone-number.deleted'> => {
      const { data, ...rest } = message(version);
      return { ...rest, data: { ...data, phone_number: '1'.repeat(900_000) } };
    };
    const versions = Array.from({ length: 30 }, (_, index) => index);
    for (const version of versions)
      await enqueue(sql, { ...large(version), ...(version === 12 ? { traceparent: 'refused' } : {}) });
    const process = outboxOn({ amqp }, sql, database.url);
    await eventually(async () => expect(await waiting()).toBe(0), { timeoutMs: 20_000 });
    await process.stop();
    expect(published).toBeGreaterThanOrEqual(29);
    expect(await sql.$queryRaw<unknown[]>`SELECT FROM outbox_refused`).toHaveLength(1);
    expect(mostBytes).toBeLessThan(10_000_000);
    await sql.$executeRaw`DELETE FROM outbox_refused`;
  });

  it('goes on at once with what a batch has left, be it by bytes or by rows', async () => {
    const lifecycle = createLifecycle(log, { deadlineMs: 5_000 });
    const connection = createDedicatedConnection({
      databaseUrl: database.url,
      name: 'test',
      log,
      lifecycle,
    });
    const sizes = async (): Promise<[number, boolean]> => {
      const { types, more } = await relayBatch(connection, async () => {});
      return [types.length, more];
    };
    const payload = (length: number) => statement`INSERT INTO outbox (message_id, type, workspace_id, payload)
      SELECT gen_random_uuid(), 'call.ended', gen_random_uuid(), repeat('x', ${length}::int) FROM generate_series(1, ${10}::int)`;
    await sql.$executeRaw(payload(1_000_000));
    expect([await sizes(), await sizes(), await sizes()]).toEqual([
      [9, true],
      [1, false],
      [0, false],
    ]);
    // Larger than a whole batch.
    await sql.$executeRaw(payload(9_000_000));
    for (let left = 10; left > 0; left -= 1) expect(await sizes()).toEqual([1, left > 1]);
    for (let n = 0; n < 21; n += 1) await sql.$executeRaw(payload(10));
    expect([await sizes(), await sizes()]).toEqual([
      [200, true],
      [10, false],
    ]);
    await lifecycle.stop('test');
  });
});
