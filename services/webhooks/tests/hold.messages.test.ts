import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type Receiver, receiver } from '@parley/testkit';
import { bootWebhooks, fakeCall, type Webhooks } from './harness.ts';

const HOLD_MS = 30 * 60_000;
const ALL = ['started', 'ended', 'analyzed'] as const;
type Name = (typeof ALL)[number];

let webhooks: Webhooks;
let server: Receiver;
const workspace = randomUUID();

/** How many minutes of the stack a real one has, in the tests of a group. */
function atRate(clockRate: number): void {
  beforeAll(async () => {
    server = await receiver();
    webhooks = await bootWebhooks({ clockRate });
  });
  afterAll(async () => {
    await server.close();
    await webhooks.stopAll();
  });
}

const PATIENCE = { timeoutMs: 25_000 };

/** A call that ended just now on the stack's clock, with an endpoint of its own. */
function newCall({ answered = true } = {}) {
  const path = `/${randomUUID()}`;
  const call = fakeCall(server.url + path, webhooks.context.clock.now());
  const answered_at = answered ? call.ended.answered_at : null;
  const data = {
    started: call.started,
    ended: { ...call.ended, answered_at },
    analyzed: { ...call.analyzed, answered_at },
  };
  const say = (name: Name, id?: string) =>
    webhooks.bus.publish(`call.${name}`, workspace, data[name], id === undefined ? {} : { id });
  const heard = () =>
    server.requests(path).map(({ body }) => String(JSON.parse(body).event).replace('call_', ''));
  const find = () => webhooks.context.webhooks.find(workspace, call.callId);
  /** Stack milliseconds from the end of the call to the first attempt of an event. */
  const firstAfterEnd = (name: Name) =>
    eventually(async () => {
      const event = (await find()).find((one) => one.event === `call_${name}`);
      const at = event?.log[0]?.startedAt.getTime();
      if (at === undefined) throw new Error(`call_${name} was not attempted`);
      return at - Date.parse(call.ended.ended_at);
    }, PATIENCE);
  return { path, say, heard, find, firstAfterEnd };
}

describe('Delivery rules 6: in order, whatever the order of the messages', () => {
  // Nobody waits for the end of a hold of real 30 minutes.
  atRate(1);
  const orders: Name[][] = [
    ['started', 'ended', 'analyzed'],
    ['started', 'analyzed', 'ended'],
    ['ended', 'started', 'analyzed'],
    ['ended', 'analyzed', 'started'],
    ['analyzed', 'started', 'ended'],
    ['analyzed', 'ended', 'started'],
  ];

  it.concurrent.each(orders)('%s, %s, %s', async (...order) => {
    const call = newCall();
    for (const name of order) await call.say(name);
    await eventually(() => expect(call.heard()).toEqual(ALL), PATIENCE);
  });

  it.concurrent.each(orders)(
    '%s, %s, %s, each of them twice, under its own id and another',
    async (...order) => {
      const call = newCall();
      for (const name of order) {
        const id = await call.say(name);
        await call.say(name, id);
        await call.say(name);
      }
      await eventually(async () => {
        const events = await call.find();
        expect(events.map(({ status }) => status)).toEqual(['delivered', 'delivered', 'delivered']);
      }, PATIENCE);
      expect(call.heard()).toEqual(ALL);
    },
  );

  it.concurrent('of a call that was never answered call_ended waits for nothing', async () => {
    const call = newCall({ answered: false });
    await call.say('analyzed');
    await call.say('ended');
    await eventually(() => expect(call.heard()).toEqual(['ended', 'analyzed']), PATIENCE);
  });
});

describe('Delivery rules 6: an earlier event that is retried', () => {
  atRate(60);

  it.concurrent('and succeeds before the hold is over lets the later ones go then, in order', async () => {
    const call = newCall();
    server.script(call.path, { status: 500 }, { status: 503 }, {}); // 2 and 4 minutes: 6 of 30 seconds
    for (const name of ALL) await call.say(name);
    expect(await call.firstAfterEnd('ended')).toBeGreaterThanOrEqual(6 * 60_000);
    await eventually(
      () => expect(call.heard()).toEqual(['started', 'started', 'started', 'ended', 'analyzed']),
      PATIENCE,
    );
  });
});

describe('Delivery rules 6: half an hour after the end of its call an event waits for no other', () => {
  // They are 3 seconds here.
  atRate(600);

  it.concurrent('an earlier one that still fails after them is overtaken by all later ones, never before', async () => {
    const call = newCall();
    server.script(call.path, { status: 500 });
    for (const name of ALL) await call.say(name);
    for (const name of ['ended', 'analyzed'] as const)
      expect(await call.firstAfterEnd(name)).toBeGreaterThanOrEqual(HOLD_MS);
  });

  it.concurrent('one whose message never comes is waited for as long, and no longer', async () => {
    const [withoutFirst, withoutSecond, withoutBoth] = [newCall(), newCall(), newCall()];
    await withoutFirst.say('ended');
    await withoutFirst.say('analyzed');
    await withoutSecond.say('started');
    await withoutSecond.say('analyzed');
    await withoutBoth.say('analyzed');
    expect(await withoutFirst.firstAfterEnd('ended')).toBeGreaterThanOrEqual(HOLD_MS);
    for (const call of [withoutFirst, withoutSecond, withoutBoth])
      expect(await call.firstAfterEnd('analyzed')).toBeGreaterThanOrEqual(HOLD_MS);
  });

  it.concurrent('one whose message comes after them is sent all the same', async () => {
    const call = newCall();
    await call.say('analyzed');
    await call.firstAfterEnd('analyzed');
    await call.say('started');
    await call.say('ended');
    await eventually(async () => {
      const events = await call.find();
      expect(events.map(({ status }) => status)).toEqual(['delivered', 'delivered', 'delivered']);
    }, PATIENCE);
    const [first, ...late] = call.heard();
    expect(first).toBe('analyzed');
    // Nobody waits for anybody any more: both may be under way at once.
    expect(late.sort()).toEqual(['ended', 'started']);
  });
});
