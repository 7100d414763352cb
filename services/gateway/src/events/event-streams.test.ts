import { describe, expect, it } from '@jest/globals';
import type { WatchOptions } from '@parley/kit/amqp';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { eventually } from '@parley/testkit';
import { createEventStreams } from './event-streams.ts';
import { createFeeds } from './feeds.ts';
import type { Subscriber } from './workspace-feed.ts';

const log = createLogger({ service: 'test', level: 'silent' });

const READER = {
  personId: 'p',
  workspaceId: 'w',
  resumeFrom: undefined,
  whyNot: async () => undefined,
  response: {
    writableLength: 0,
    writableFinished: true,
    destroy: () => undefined,
    once: () => undefined,
  },
};

function openOne() {
  const subscribers = new Set<Subscriber>();
  const feeds = {
    count: () => subscribers.size,
    isLive: () => true,
    onLost: () => {},
    subscribe: (_workspaceId: string, subscriber: Subscriber) => {
      subscribers.add(subscriber);
      return () => void subscribers.delete(subscriber);
    },
  };
  const streams = createEventStreams(feeds, createLifecycle(log, { deadlineMs: 1_000 }), 10);
  const readable = streams.open(READER);
  readable.on('error', () => {});
  const closed = new Promise<void>((resolve) => readable.once('close', resolve));
  return { readable, closed, streams, send: (text: string) => [...subscribers][0]?.send(text) };
}

describe('a page that does not read its events [dashboard.8]', () => {
  it('is disconnected before it takes more than 256 KiB of memory', async () => {
    const { readable, closed, streams, send } = openOne();
    const text = 'x'.repeat(10_000);
    for (let n = 0; n < 26; n += 1) send(text);
    expect(readable.destroyed).toBe(false);
    for (let n = 0; n < 5; n += 1) send(text);
    expect(readable.readableLength).toBeLessThanOrEqual(256 * 1024 + 200);
    await closed;
    expect(streams.count()).toBe(0);
    expect(send(text)).toBeUndefined();
  });
});

describe('while the broker is unavailable [dashboard.9]', () => {
  function openGateway() {
    let broker: WatchOptions | undefined;
    const feeds = createFeeds({
      watch: (options) => {
        broker = options;
      },
    });
    const streams = createEventStreams(feeds, createLifecycle(log, { deadlineMs: 1_000 }), 10);
    const open = (resumeFrom?: string) => {
      const readable = streams.open({ ...READER, resumeFrom });
      const texts: string[] = [];
      readable.on('data', (text) => texts.push(String(text)));
      return { texts, closed: new Promise<void>((resolve) => readable.once('close', resolve)) };
    };
    if (!broker) throw new Error('nothing is watched');
    return { open, streams, broker };
  }

  it('streams end, and new ones are refused', async () => {
    const { open, streams, broker } = openGateway();
    broker.onConnected();
    const stream = open();
    broker.onLost();
    await stream.closed;
    expect(stream.texts.join('')).not.toContain('event: end');
    expect(streams.count()).toBe(0);
    broker.onLost();
    expect(() => open()).toThrow(
      expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 10 }),
    );
  });

  it('nothing is lost: a page that comes back after it reads everything again', async () => {
    const { open, broker } = openGateway();
    broker.onConnected();
    const before = String(Date.now() - 1_000);
    broker.onLost();
    broker.onConnected();
    const { texts } = open(before);
    await eventually(() => expect(texts.join('')).toContain('event: reset'));
  });

  it('at the start of a gateway streams are accepted until it is known', async () => {
    const { open, broker } = openGateway();
    const stream = open();
    broker.onLost();
    await stream.closed;
    expect(() => open()).toThrow();
  });
});
