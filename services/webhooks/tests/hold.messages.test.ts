import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type Receiver, receiver } from '@parley/testkit';
import { bootWebhooks, fakeCall, readEvents, type Webhooks } from './harness.ts';

const HOLD_MS = 30 * 60_000;
const ALL = ['started', 'ended', 'analyzed'] as const;
type Name = (typeof ALL)[number];

let webhooks: Webhooks;
let server: Receiver;
const workspace = randomUUID();

/** Boots the service with a clock rate for a group of tests. */
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

/** A call with its own endpoint that has just ended in stack time. */
function newCall({ answered = true } = {}) {
  const path = `/${randomUUID()}`;
  const call = fakeCall(server.url + path, webhooks.context.clock.now());
  const answered_at = answered ? call.ended.answered_at : null;
  const data = {
    started: call.started,
    ended: { ...call.ended, answered_at },
    analyzed: { ...call.analyzed, answered_at },
  };
  const publish = (name: Name, id?: string) =>
    webhooks.bus.publish(`call.${name}`, workspace, data[name], id === undefined ? {} : { id });
  const received = () =>
    server.requests(path).map(({ body }) => String(JSON.parse(body).event).replace('call_', ''));
  const find = () => readEvents(webhooks, workspace, call.callId);
  /** Stack milliseconds from the end of the call to the first attempt of an event. */
  const firstAfterEnd = (name: Name) =>
    eventually(async () => {
      const event = (await find()).find((one) => one.event === `call_${name}`);
      const at = event?.log[0]?.startedAt.getTime();
      if (at === undefined) throw new Error(`call_${name} was not attempted`);
      return at - Date.parse(call.ended.ended_at);
    }, PATIENCE);
  return { path, publish, received, find, firstAfterEnd };
}

describe('events of a call are delivered in order, in whatever order the messages arrive [webhooks.13]', () => {
  // An event would wait 30 real minutes for an earlier one: the test fails if any does.
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
    for (const name of order) await call.publish(name);
    await eventually(() => expect(call.received()).toEqual(ALL), PATIENCE);
  });

  it.concurrent.each(orders)(
    '%s, %s, %s, each of them twice, under its own id and another',
    async (...order) => {
      const call = newCall();
      for (const name of order) {
        const id = await call.publish(name);
        await call.publish(name, id);
        await call.publish(name);
      }
      await eventually(async () => {
        const events = await call.find();
        expect(events.map(({ status }) => status)).toEqual(['delivered', 'delivered', 'delivered']);
      }, PATIENCE);
      expect(call.received()).toEqual(ALL);
    },
  );

  it.concurrent('call_ended of a call that was never answered waits for nothing', async () => {
    const call = newCall({ answered: false });
    await call.publish('analyzed');
    await call.publish('ended');
    await eventually(() => expect(call.received()).toEqual(['ended', 'analyzed']), PATIENCE);
  });
});

describe('an earlier event that is being retried [webhooks.13]', () => {
  atRate(60);

  it.concurrent('releases the later ones in order when it succeeds before the hold ends', async () => {
    const call = newCall();
    server.script(call.path, { status: 500 }, { status: 503 }, {}); // 2 and 4 minutes: 6 of 30 seconds
    for (const name of ALL) await call.publish(name);
    expect(await call.firstAfterEnd('ended')).toBeGreaterThanOrEqual(6 * 60_000);
    await eventually(
      () => expect(call.received()).toEqual(['started', 'started', 'started', 'ended', 'analyzed']),
      PATIENCE,
    );
  });
});

describe('30 minutes after the end of its call an event waits for no earlier one [webhooks.13]', () => {
  // They take 3 seconds here.
  atRate(600);

  it.concurrent('an earlier one that still fails then is overtaken by all later ones, never before', async () => {
    const call = newCall();
    server.script(call.path, { status: 500 });
    for (const name of ALL) await call.publish(name);
    for (const name of ['ended', 'analyzed'] as const)
      expect(await call.firstAfterEnd(name)).toBeGreaterThanOrEqual(HOLD_MS);
  });

  it.concurrent('one whose message never arrives is waited for as long, and no longer', async () => {
    const [withoutFirst, withoutSecond, withoutBoth] = [newCall(), newCall(), newCall()];
    await withoutFirst.publish('ended');
    await withoutFirst.publish('analyzed');
    await withoutSecond.publish('started');
    await withoutSecond.publish('analyzed');
    await withoutBoth.publish('analyzed');
    expect(await withoutFirst.firstAfterEnd('ended')).toBeGreaterThanOrEqual(HOLD_MS);
    for (const call of [withoutFirst, withoutSecond, withoutBoth])
      expect(await call.firstAfterEnd('analyzed')).toBeGreaterThanOrEqual(HOLD_MS);
  });

  it.concurrent('one whose message arrives afterwards is still sent', async () => {
    const call = newCall();
    await call.publish('analyzed');
    await call.firstAfterEnd('analyzed');
    await call.publish('started');
    await call.publish('ended');
    await eventually(async () => {
      const events = await call.find();
      expect(events.map(({ status }) => status)).toEqual(['delivered', 'delivered', 'delivered']);
    }, PATIENCE);
    const [first, ...late] = call.received();
    expect(first).toBe('analyzed');
    // The wait is over: both may be attempted at once.
    expect(late.sort()).toEqual(['ended', 'started']);
  });
});
