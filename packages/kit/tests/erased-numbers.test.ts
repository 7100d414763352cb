import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  amqpUrl,
  eventually,
  kitDatabase,
  type SqlClient,
  sqlClient,
  type TestDatabase,
} from '@parley/testkit';
import { type ConfirmChannel, connect } from 'amqplib';
import {
  deadExchangeName,
  deadQueueName,
  exchangeName,
  queueName,
  type ReadContent,
} from '../src/amqp/index.ts';
import {
  createErasedNumbers,
  createRemover,
  type ErasedNumbers,
  eraseRefused,
} from '../src/removal/index.ts';
import { type BusTest, busTest } from './support/bus.ts';

// A message that was published before an erasure may be consumed, or lie as a dead letter, after it [trust.19].

const PERSON = '+12025550010';
const MASKED = '+10000000000';
const QUEUE = 'gateway.audit';
const mine = randomUUID();
const theirs = randomUUID();
const key = Buffer.alloc(32, 1);

let database: TestDatabase;
let sql: SqlClient;
let test: BusTest;
let erasedNumbers: ErasedNumbers;
let connection: Awaited<ReturnType<typeof connect>>;
let channel: ConfirmChannel;

beforeAll(async () => {
  database = await kitDatabase('removals', 'outbox');
  sql = sqlClient(database.url, { max: 5 });
  test = await busTest();
  erasedNumbers = createErasedNumbers({ client: sql, keys: [Buffer.alloc(32, 2), key] });
  connection = await connect(amqpUrl());
  channel = await connection.createConfirmChannel();
});
afterAll(async () => {
  await connection.close();
  await test.close();
  await sql.close();
  await database.drop();
});

const record = (workspaceId: string, name: string, id: string = randomUUID()) => ({
  id,
  type: 'audit.recorded',
  occurred_at: '2026-01-01T00:00:00.000Z',
  workspace_id: workspaceId,
  data: {
    action: 'number.created',
    actor: { kind: 'key', id: randomUUID(), name: null },
    target: { type: 'phone_number', id: randomUUID(), name },
    address: null,
    changes: {},
  },
});

const publish = async (message: object, properties: object = {}): Promise<void> => {
  const body = Buffer.from(JSON.stringify(message));
  channel.publish(exchangeName(test.prefix), 'audit.recorded', body, { persistent: true, ...properties });
  await channel.waitForConfirms();
};

/** As another process, which signs with an older key. */
const erase = (workspaceId: string) =>
  sql.$executeRaw`INSERT INTO removals (id, workspace_id, pass, number_mac) VALUES (${randomUUID()}::uuid, ${workspaceId}::uuid, 1, ${createErasedNumbers({ client: sql, keys: [key] }).macOf(PERSON)})`;

describe('a message that waited in its queue while a number was erased', () => {
  it('is handled with the number masked; later ones and those of other workspaces are unchanged', async () => {
    await test.start().stop();
    const nowSeconds = Math.floor(Date.now() / 1_000);
    await erase(mine);
    await publish(record(mine, `waited ${PERSON}`));
    await publish(record(mine, `before ${PERSON}`), { timestamp: nowSeconds - 60 });
    await publish(record(mine, `after ${PERSON}`), { timestamp: nowSeconds + 60 });
    await publish(record(theirs, `theirs ${PERSON}`));
    const names: (string | null)[] = [];
    const process = test.start(amqpUrl(), erasedNumbers.redact);
    process.amqp.consume({
      queue: QUEUE,
      handlers: { 'audit.recorded': async ({ data }) => void names.push(data.target.name) },
    });
    await eventually(() => expect(names).toHaveLength(4));
    expect(names.sort()).toEqual([
      `after ${PERSON}`,
      `before ${MASKED}`,
      `theirs ${PERSON}`,
      `waited ${MASKED}`,
    ]);
    await process.stop();
  });
});

describe('dead letters', () => {
  it('are masked in bounded steps, deleted if they are about the person, and unchanged in other workspaces', async () => {
    const dead = deadQueueName(test.prefix, QUEUE);
    const about = { ...record(mine, ''), data: { to_number: PERSON, transcript: 'private' } };
    const bodies = [
      JSON.stringify(record(mine, `mentions ${PERSON}`)),
      JSON.stringify(about),
      JSON.stringify(record(theirs, PERSON)),
      `not a message ${PERSON}`,
      ...Array.from({ length: 70 }, (_, n) => JSON.stringify(record(mine, `harmless ${n}`))),
    ];
    for (const body of bodies)
      channel.sendToQueue(dead, Buffer.from(body), { headers: { traceparent: 'kept' } });
    await channel.waitForConfirms();
    const { amqp, stop } = test.start();
    const remover = createRemover({
      transact: (work) => sql.$transaction(work),
      erasure: [],
      workspace: [],
      service: 'gateway',
      amqp,
      erasedNumbers,
    });
    const target = { removalId: randomUUID(), workspaceId: mine, phoneNumber: PERSON, keepDoNotCall: true };
    // The first pass erases for consumers as well: what they handle meanwhile is waited for.
    const first = await finish(() => remover.advance(target, 1));
    expect(first).toMatchObject({
      found: 3,
      removed: { dead_letters: 3 },
      waiting: 'messages in progress',
    });
    const left = await test.bus.deadLetters(QUEUE);
    expect(left).toHaveLength(bodies.length - 1);
    expect(left.filter((body) => body.includes(PERSON))).toEqual([bodies[2]]);
    expect(left).toContain(`not a message ${MASKED}`);
    expect(left.filter((body) => body.includes('harmless'))).toEqual(bodies.slice(4));
    expect(await finish(() => remover.advance(target, 2))).toMatchObject({ found: 0 });

    const whole = { removalId: randomUUID(), workspaceId: theirs, phoneNumber: null, keepDoNotCall: true };
    expect(await finish(() => remover.advance(whole, 1))).toMatchObject({ found: 1, waiting: null });
    expect((await test.bus.deadLetters(QUEUE)).filter((body) => body.includes(PERSON))).toEqual([]);
    await stop();
  });

  it('stay as they are while the binding of their queue is missing, which a process may not be allowed to declare', async () => {
    const dead = deadQueueName(test.prefix, QUEUE);
    const binding = [dead, deadExchangeName(test.prefix), queueName(test.prefix, QUEUE)] as const;
    await channel.purgeQueue(dead);
    channel.sendToQueue(dead, Buffer.from('letter'));
    await channel.waitForConfirms();
    await channel.unbindQueue(...binding);
    const { amqp, stop } = test.start(amqpUrl(), undefined, false);
    const rewrite = async ({ text }: { text: string }) => `${text} rewritten`;
    const walk = () => amqp.rewriteDeadLetters({ queue: QUEUE, left: null, rewrite });
    await expect(walk()).rejects.toThrow('no dead-letter queue is bound to');
    await eventually(async () => expect(await test.bus.deadLetters(QUEUE)).toEqual(['letter']));
    await channel.bindQueue(...binding);
    await eventually(async () => expect(await walk()).toEqual({ changed: 1, left: 0 }));
    expect(await test.bus.deadLetters(QUEUE)).toEqual(['letter rewritten']);
    await channel.purgeQueue(dead);
    await stop();
  });
});

describe('messages by reference and refused messages', () => {
  it('are kept with the number masked; of those about the person only the place is kept', async () => {
    const [mentions, about, refusedAbout, refusedMentions] = Array.from({ length: 4 }, () => randomUUID());
    const text = (data: object) => JSON.stringify({ ...record(mine, ''), data });
    const keep = (table: string, id: string | undefined, data: object) =>
      table === 'outbox_contents'
        ? sql.$executeRaw`INSERT INTO outbox_contents (message_id, workspace_id, payload) VALUES (${id}::uuid, ${mine}::uuid, ${text(data)})`
        : sql.$executeRaw`INSERT INTO outbox_refused (message_id, type, workspace_id, payload, created_at, reason)
             VALUES (${id}::uuid, 'call.analyzed', ${mine}::uuid, ${text(data)}, now(), 'too large')`;
    await keep('outbox_contents', mentions, { to_number: '+12025554242', transcript: `ask ${PERSON}` });
    await keep('outbox_contents', about, { to_number: PERSON, transcript: 'private' });
    await keep('outbox_refused', refusedMentions, { transcript: `ask ${PERSON}` });
    await keep('outbox_refused', refusedAbout, { from_number: PERSON });
    const target = { removalId: randomUUID(), workspaceId: mine, phoneNumber: PERSON, keepDoNotCall: true };
    const step = (halvings = 0) =>
      sql.$transaction((tx) => eraseRefused(tx, { ...target, sinceXid: null, halvings }, null));
    expect(await step(2)).toEqual({ removed: { refused_messages: 2 }, next: 'more' });
    expect(await step()).toEqual({ removed: { refused_messages: 2 }, next: null });
    expect(await step()).toEqual({ removed: { refused_messages: 0 }, next: null });
    const rows = await sql.$queryRaw<
      { id: string; payload: string }[]
    >`SELECT message_id::text AS id, payload FROM outbox_contents UNION ALL SELECT message_id::text, payload FROM outbox_refused`;
    const payloads = new Map(rows.map(({ id, payload }) => [id, payload]));
    expect(payloads.get(mentions ?? '')).toContain(`ask ${MASKED}`);
    expect(payloads.get(about ?? '')).toBe('');
    expect(payloads.get(refusedMentions ?? '')).toContain(`ask ${MASKED}`);
    expect(payloads.has(refusedAbout ?? '')).toBe(false);
  });

  it('are ignored by their consumers when their content was erased', async () => {
    const { data: _, ...envelope } = record(mine, '');
    await publish({ ...envelope, content: { service: 'telephony', bytes: 2_000_000 } });
    let read = 0;
    const readContent: ReadContent = async () => {
      read += 1;
      return '';
    };
    const process = test.start(amqpUrl(), erasedNumbers.redact);
    let handled = 0;
    process.amqp.consume({
      queue: QUEUE,
      readContent,
      handlers: {
        'audit.recorded': async () => {
          handled += 1;
        },
      },
    });
    const before = (await test.bus.deadLetters(QUEUE)).length;
    await eventually(() => expect(read).toBe(1));
    await process.stop();
    expect([handled, (await test.bus.deadLetters(QUEUE)).length]).toEqual([0, before]);
  });
});

async function finish<T extends { done: boolean }>(advance: () => Promise<T>): Promise<T> {
  for (;;) {
    const answer = await advance();
    if (answer.done) return answer;
  }
}
