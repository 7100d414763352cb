import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Message } from '@parley/contracts';
import {
  amqpUrl,
  eventually,
  faultProxy,
  kitDatabase,
  type SqlClient,
  sqlClient,
  type TestDatabase,
} from '@parley/testkit';
import { sql as statement } from '../src/db/index.ts';
import { AppError } from '../src/errors/index.ts';
import { once } from '../src/inbox/index.ts';
import { readContent, sweepContents } from '../src/outbox/contents.ts';
import { enqueue, messagesOf } from '../src/outbox/index.ts';
import { type BusTest, busTest } from './support/bus.ts';
import { analyzed, message, outboxOn } from './support/outbox.ts';

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

const receivedVersions = () => test.bus.received('phone-number.deleted').map(({ data }) => data.version);
const waiting = async () => (await sql.$queryRaw<unknown[]>`SELECT FROM outbox`).length;

describe('enqueue', () => {
  it('sends the messages of a transaction after its commit, with their envelopes', async () => {
    const process = outboxOn(test.start(), sql, database.url);
    const messages = [1, 2, 3].map((version) => ({ ...message(version), requestId: `request-${version}` }));
    await process.outbox.transaction((tx) => enqueue(tx, messages));
    await eventually(() => expect(receivedVersions()).toEqual([1, 2, 3]));
    expect(test.bus.received('phone-number.deleted')[0]).toMatchObject({
      occurred_at: '2026-01-01T00:00:00.000Z',
      workspace_id: messages[0]?.workspaceId,
      request_id: 'request-1',
    });
    await eventually(async () => expect(await waiting()).toBe(0));
    await process.stop();
  });

  it('publishes the messages that a statement decides on, in their order', async () => {
    const process = outboxOn(test.start(), sql, database.url);
    const messages = [3, 1, 2].map((version) => ({ of: randomUUID(), message: message(version) }));
    const [first, , third] = messages.map(({ of }) => of);
    await sql.$executeRaw(statement`
      WITH changed AS (VALUES (${first}::uuid), (${third}::uuid)),
      published AS (${messagesOf(sql, messages, statement`SELECT column1 FROM changed`)}) SELECT 1`);
    process.outbox.wake();
    await eventually(() => expect(receivedVersions()).toEqual([3, 2]));
    await process.stop();
  });

  it('sends nothing of a rolled back transaction', async () => {
    const process = outboxOn(test.start(), sql, database.url);
    const changed = process.outbox.transaction(async (tx) => {
      await enqueue(tx, message(1));
      throw new Error('no');
    });
    await expect(changed).rejects.toThrow('no');
    await process.outbox.transaction((tx) => enqueue(tx, message(2)));
    await eventually(() => expect(receivedVersions()).toEqual([2]));
    await process.stop();
  });

  it('publishes a reference instead of a message over 1 MiB, which consumers resolve [trust.4]', async () => {
    const bus = test.start();
    const process = outboxOn(bus, sql, database.url);
    const large = analyzed('é'.repeat(600_000));
    const whole: Message<'call.analyzed'>[] = [];
    const reads: string[] = [];
    bus.amqp.consume({
      queue: 'webhooks.calls',
      readContent: async ({ id, workspace_id, content }) => {
        reads.push(content.service);
        if (reads.length === 1) throw new AppError('SERVICE_UNAVAILABLE', 'Not yet');
        return (await readContent(sql, workspace_id, id)).payload;
      },
      handlers: {
        'call.started': async () => {},
        'call.ended': async () => {},
        'call.analyzed': async (message) => void whole.push(message),
      },
    });
    await process.outbox.transaction((tx) => enqueue(tx, [large, analyzed('small')]));
    await eventually(() => expect(whole).toHaveLength(2), { timeoutMs: 10_000 });
    expect(whole.map(({ data }) => data.summary).sort()).toEqual(['small', large.data.summary]);
    expect(reads).toEqual(['telephony', 'telephony']);
    const sizes = await sql.$queryRaw<
      { bytes: number }[]
    >`SELECT octet_length(payload) AS bytes FROM outbox_contents`;
    expect(sizes).toEqual([{ bytes: expect.any(Number) }]);
    await expect(
      enqueue(sql, { ...message(1), data: { ...message(1).data, phone_number: '1'.repeat(1_100_000) } }),
    ).rejects.toThrow('at most 1048576 bytes');
    await process.stop();
    // What consumers had time for is gone with its age.
    await sql.$executeRaw`UPDATE outbox_contents SET created_at = now() - interval '31 days'`;
    await sweepContents(sql);
    await expect(readContent(sql, randomUUID(), randomUUID())).rejects.toThrow('has been deleted');
    expect(await sql.$queryRaw`SELECT 1 FROM outbox_contents`).toEqual([]);
  });

  it('is sent by the relay of any process, without a wake-up', async () => {
    const process = outboxOn(test.start(), sql, database.url);
    await enqueue(sql, message(1));
    await eventually(() => expect(receivedVersions()).toEqual([1]));
    await process.stop();
  });
});

describe('the relay', () => {
  it('keeps messages while the broker is unavailable, reports their age, and sends them afterwards', async () => {
    const proxy = await faultProxy(amqpUrl());
    const bus = test.start(proxy.url);
    const process = outboxOn(bus, sql, database.url);
    await eventually(() => expect(bus.amqp.canPublish()).toBe(true));
    proxy.cut();
    await eventually(() => expect(bus.amqp.canPublish()).toBe(false));
    await process.outbox.transaction((tx) => enqueue(tx, message(1)));
    await eventually(async () => {
      const age = /parley_outbox_age_seconds\{[^}]*\} (\S+)/.exec(await process.metrics.registry.metrics());
      expect(Number(age?.[1])).toBeGreaterThan(0.5);
    });
    expect(await waiting()).toBe(1);
    proxy.restore();
    await eventually(() => expect(receivedVersions()).toEqual([1]), { timeoutMs: 10_000 });
    await eventually(async () => expect(await waiting()).toBe(0));
    expect(await process.metrics.registry.metrics()).toMatch(/parley_outbox_published_total\{[^}]*\} 1/);
    await process.stop();
    await bus.stop();
    await proxy.close();
  });

  it('sets a message aside that cannot be encoded', async () => {
    const process = outboxOn(test.start(), sql, database.url);
    const bad = { ...message(0), traceparent: 'x'.repeat(200_000) };
    await process.outbox.transaction((tx) => enqueue(tx, [message(1), bad, message(2)]));
    await eventually(() => expect(new Set(receivedVersions())).toEqual(new Set([1, 2])));
    await eventually(async () => expect(await waiting()).toBe(0));
    expect(await sql.$queryRaw`SELECT workspace_id::text FROM outbox_refused`).toEqual([
      { workspace_id: bad.workspaceId },
    ]);
    await process.stop();
    await sql.$executeRaw`DELETE FROM outbox_refused`;
  });

  it('sends again after a crash between confirm and commit, and the effect happens once', async () => {
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
        await sql.$queryRaw`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND application_name = 'parley-outbox'`;
      },
    };
    const process = outboxOn({ amqp: dying }, sql, database.url);
    await process.outbox.transaction((tx) => enqueue(tx, message(7)));
    await eventually(() => expect(receivedVersions()).toEqual([7, 7]));
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
    await eventually(() => expect(receivedVersions().length).toBeGreaterThanOrEqual(versions.length), {
      timeoutMs: 15_000,
    });
    await eventually(async () => expect(await waiting()).toBe(0));
    expect(receivedVersions().sort((a, b) => a - b)).toEqual(versions);
    await Promise.all(relays.map((relay) => relay.stop()));
  });

  it('finishes its batch before it stops', async () => {
    const bus = test.start();
    const process = outboxOn(bus, sql, database.url);
    await eventually(() => expect(bus.amqp.canPublish()).toBe(true));
    await process.outbox.transaction((tx) => enqueue(tx, [1, 2, 3].map(message)));
    await eventually(() => expect(receivedVersions().length).toBeGreaterThan(0));
    await process.stop();
    expect(receivedVersions()).toEqual([1, 2, 3]);
    await eventually(async () => expect(await waiting()).toBe(0));
  });
});
