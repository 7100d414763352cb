import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  amqpUrl,
  cuttable,
  eventually,
  kitDatabase,
  type SqlClient,
  sqlClient,
  type TestDatabase,
} from '@parley/testkit';
import { once } from '../src/inbox/index.ts';
import { enqueue } from '../src/outbox/index.ts';
import { type BusTest, busTest } from './support/bus.ts';
import { message, outboxOn } from './support/outbox.ts';

let database: TestDatabase;
let sql: SqlClient;
let test: BusTest;

beforeAll(async () => {
  database = await kitDatabase('outbox', 'inbox');
  sql = sqlClient(database.url, { max: 10 });
});
afterAll(async () => {
  await sql.close();
  await database.drop();
});
beforeEach(async () => {
  test = await busTest();
});
afterEach(() => test.close());

const heard = () => test.bus.heard('phone-number.deleted').map(({ data }) => data.version);
const waiting = async () => (await sql.$queryRawUnsafe<unknown[]>('SELECT FROM outbox')).length;

describe('enqueue', () => {
  it('sends many messages of one transaction, after the commit, with their envelopes', async () => {
    const process = outboxOn(test.start(), sql, database.url);
    const messages = [1, 2, 3].map((version) => ({ ...message(version), requestId: `request-${version}` }));
    await process.outbox.transaction((tx) => enqueue(tx, messages));
    await eventually(() => expect(heard()).toEqual([1, 2, 3]));
    expect(test.bus.heard('phone-number.deleted')[0]).toMatchObject({
      occurred_at: '2026-01-01T00:00:00.000Z',
      workspace_id: messages[0]?.workspaceId,
      request_id: 'request-1',
    });
    await eventually(async () => expect(await waiting()).toBe(0));
    await process.stop();
  });

  it('sends nothing of a transaction that was rolled back', async () => {
    const process = outboxOn(test.start(), sql, database.url);
    const changed = process.outbox.transaction(async (tx) => {
      await enqueue(tx, message(1));
      throw new Error('no');
    });
    await expect(changed).rejects.toThrow('no');
    await process.outbox.transaction((tx) => enqueue(tx, message(2)));
    await eventually(() => expect(heard()).toEqual([2]));
    await process.stop();
  });

  it('is found by the relay of any process, without being woken', async () => {
    const process = outboxOn(test.start(), sql, database.url);
    await enqueue(sql, message(1));
    await eventually(() => expect(heard()).toEqual([1]));
    await process.stop();
  });
});

describe('the relay', () => {
  it('keeps messages while the broker is away, tells their age, and sends them when it is back', async () => {
    const way = await cuttable(amqpUrl());
    const bus = test.start(way.url);
    const process = outboxOn(bus, sql, database.url);
    await eventually(() => expect(bus.amqp.canPublish()).toBe(true));
    way.cut();
    await eventually(() => expect(bus.amqp.canPublish()).toBe(false));
    await process.outbox.transaction((tx) => enqueue(tx, message(1)));
    await eventually(async () => {
      const age = /parley_outbox_age_seconds\{[^}]*\} (\S+)/.exec(await process.metrics.registry.metrics());
      expect(Number(age?.[1])).toBeGreaterThan(0.5);
    });
    expect(await waiting()).toBe(1);
    way.restore();
    await eventually(() => expect(heard()).toEqual([1]), { timeoutMs: 10_000 });
    await eventually(async () => expect(await waiting()).toBe(0));
    expect(await process.metrics.registry.metrics()).toMatch(/parley_outbox_published_total\{[^}]*\} 1/);
    await process.stop();
    await bus.stop();
    await way.close();
  });

  it('that dies between the confirm and the commit sends again, and the effect comes about once', async () => {
    const effects: number[] = [];
    const consumer = test.start();
    consumer.amqp.consume({
      queue: 'assistants.phone-numbers',
      handlers: {
        'phone-number.updated': async () => {},
        'phone-number.deleted': ({ id, data }) =>
          sql.$transaction(async (tx) => {
            if (await once(tx, 'effect', id)) effects.push(data.version);
          }),
      },
    });
    const { amqp } = test.start();
    let deaths = 0;
    const dying = {
      canPublish: amqp.canPublish,
      publish: async (publication: Parameters<typeof amqp.publish>[0]) => {
        await amqp.publish(publication);
        if (deaths > 0) return;
        deaths += 1;
        // What the server sees of a killed process: its connection breaks with the transaction open.
        await sql.$queryRawUnsafe(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND state = 'idle in transaction'`,
        );
      },
    };
    const process = outboxOn({ amqp: dying }, sql, database.url);
    await process.outbox.transaction((tx) => enqueue(tx, message(7)));
    await eventually(() => expect(heard()).toEqual([7, 7]));
    await eventually(async () => expect(await waiting()).toBe(0));
    expect(effects).toEqual([7]);
    expect(deaths).toBe(1);
    await process.stop();
  });

  it('shares the work with others without sending twice', async () => {
    const relays = [1, 2, 3].map(() => outboxOn(test.start(), sql, database.url));
    const versions = Array.from({ length: 600 }, (_, index) => index);
    await Promise.all(
      versions.map((version) =>
        relays[version % relays.length]?.outbox.transaction((tx) => enqueue(tx, message(version))),
      ),
    );
    await eventually(() => expect(heard().length).toBeGreaterThanOrEqual(versions.length), {
      timeoutMs: 15_000,
    });
    await eventually(async () => expect(await waiting()).toBe(0));
    expect(heard().sort((a, b) => a - b)).toEqual(versions);
    await Promise.all(relays.map((relay) => relay.stop()));
  });

  it('finishes the batch that it holds before it stops', async () => {
    const bus = test.start();
    const process = outboxOn(bus, sql, database.url);
    await eventually(() => expect(bus.amqp.canPublish()).toBe(true));
    await process.outbox.transaction((tx) => enqueue(tx, [1, 2, 3].map(message)));
    await eventually(() => expect(heard().length).toBeGreaterThan(0));
    await process.stop();
    expect(heard()).toEqual([1, 2, 3]);
    await eventually(async () => expect(await waiting()).toBe(0));
  });
});
