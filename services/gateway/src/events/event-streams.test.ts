import { describe, expect, it } from '@jest/globals';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { createEventStreams } from './event-streams.ts';
import type { Subscriber } from './workspace-feed.ts';

const log = createLogger({ service: 'test', level: 'silent' });

function openOne() {
  const subscribers = new Set<Subscriber>();
  const feeds = {
    count: () => subscribers.size,
    subscribe: (_workspaceId: string, subscriber: Subscriber) => {
      subscribers.add(subscriber);
      return () => void subscribers.delete(subscriber);
    },
  };
  const streams = createEventStreams(feeds, createLifecycle(log, { deadlineMs: 1_000 }), 10);
  const response = {
    writableLength: 0,
    writableFinished: true,
    destroy: () => undefined,
    once: () => undefined,
  };
  const reader = {
    personId: 'p',
    workspaceId: 'w',
    resumeFrom: undefined,
    whyNot: async () => undefined,
    response,
  };
  const readable = streams.open(reader);
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
