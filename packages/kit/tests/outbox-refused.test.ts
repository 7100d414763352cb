import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually, kitDatabase, type SqlClient, sqlClient, type TestDatabase } from '@parley/testkit';
import { type KillableServer, limitedBroker } from '@parley/testkit/stage';
import { MessageRefusedError } from '../src/amqp/index.ts';
import { enqueue } from '../src/outbox/index.ts';
import { type BusProcess, type BusTest, busTest } from './support/bus.ts';
import { analyzed, message, outboxOn } from './support/outbox.ts';

const MAX_BYTES = 10_000;

let database: TestDatabase;
let sql: SqlClient;
let broker: KillableServer | undefined;
let test: BusTest;

beforeAll(async () => {
  [database, broker] = await Promise.all([kitDatabase('outbox'), limitedBroker(MAX_BYTES)]);
  sql = sqlClient(database.url, { max: 10 });
  test = await busTest(broker?.url);
});
afterAll(async () => {
  await test?.close();
  await broker?.stop();
  await sql.close();
  await database.drop();
});

/**
 * Where no RabbitMQ is installed, the shared one with a limit: over it, it closes the channel, everything that is under way fails, and
 * the next channel takes a moment.
 */
function limited(
  amqp: BusProcess['amqp'],
  bytes: number,
): Pick<BusProcess['amqp'], 'publish' | 'canPublish'> {
  let isClosed = false;
  return {
    canPublish: () => !isClosed && amqp.canPublish(),
    publish: async (publication) => {
      if (publication.payload.length > bytes) {
        isClosed = true;
        setTimeout(() => {
          isClosed = false;
        }, 150);
      }
      await new Promise(setImmediate);
      if (isClosed)
        throw new MessageRefusedError(new Error('PRECONDITION_FAILED - message size is too large'));
      await amqp.publish(publication);
    },
  };
}

/** How long 300 messages take that wait beside one that is refused, in milliseconds. */
async function sendBesideRefused(bus: BusProcess, first: number): Promise<number> {
  const others = Array.from({ length: 300 }, (_, index) => message(first + index));
  const large = analyzed('x'.repeat(2 * MAX_BYTES));
  const arrived = () => test.bus.received('phone-number.deleted').filter(({ data }) => data.version >= first);
  await sql.$transaction((tx) => enqueue(tx, [others.slice(0, 100), large, others.slice(100)].flat()));
  const beganMs = performance.now();
  const process = outboxOn({ amqp: broker ? bus.amqp : limited(bus.amqp, MAX_BYTES) }, sql, database.url);
  await eventually(() => expect(new Set(arrived().map(({ data }) => data.version)).size).toBe(300));
  const tookMs = performance.now() - beganMs;
  await eventually(async () => expect(await sql.$queryRaw`SELECT FROM outbox`).toEqual([]));
  const refused = await sql.$queryRaw`SELECT type, workspace_id::text, reason FROM outbox_refused`;
  expect(refused).toEqual([
    { type: large.type, workspace_id: large.workspaceId, reason: expect.stringContaining('size') },
  ]);
  expect(await process.metrics.registry.metrics()).toMatch(/parley_outbox_refused_messages\{[^}]*\} 1/);
  await process.stop();
  await sql.$executeRaw`DELETE FROM outbox_refused`;
  return tookMs;
}

/** A process that can publish, and how long its connection took: tens of milliseconds on a machine that is not busy. */
async function connected(): Promise<{ bus: BusProcess; tookMs: number }> {
  const beganMs = performance.now();
  const bus = test.start();
  await eventually(() => expect(bus.amqp.canPublish()).toBe(true), { everyMs: 5 });
  return { bus, tookMs: performance.now() - beganMs };
}

const CONNECTED_WITHIN_MS = 200;
/** A machine that is slower than this proves nothing. */
const MAX_SLOWNESS = 3;

it('a message that the broker refuses is set aside, and the 300 others arrive within a second [trust.4]', async () => {
  // Creates the queues.
  await connected();
  const attemptsMs: number[] = [];
  // One quick attempt may be luck.
  const secondBestMs = (): number => attemptsMs.toSorted((a, b) => a - b)[1] ?? Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 5 && secondBestMs() >= 1_000; attempt += 1) {
    const { bus, tookMs } = await connected();
    // Where a connection alone takes longer, other programs use the machine.
    const slowness = Math.min(MAX_SLOWNESS, Math.max(1, tookMs / CONNECTED_WITHIN_MS));
    attemptsMs.push((await sendBesideRefused(bus, 1_000 * attempt)) / slowness);
    await bus.stop();
  }
  expect(secondBestMs()).toBeLessThan(1_000);
});
