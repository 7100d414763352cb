import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { realSleep } from '@parley/kit/time';
import { eventually } from '@parley/testkit';
import { createEventStreams } from '../src/events/event-streams.ts';
import type { Subscriber } from '../src/events/workspace-feed.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const CHUNK = 'x'.repeat(200_000);

let server: Server;
let socket: Socket;

afterEach(() => {
  socket.destroy();
  server.closeAllConnections();
  server.close();
});

describe('a page that stops reading, when its stream ends [dashboard.8]', () => {
  it('loses its connection within seconds', async () => {
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
    const lifecycle = createLifecycle(log, { deadlineMs: 1_000 });
    const streams = createEventStreams(feeds, lifecycle, 10);
    let unread = () => 0;
    server = createServer((_req, res) => {
      const reader = {
        personId: 'p',
        workspaceId: 'w',
        resumeFrom: undefined,
        whyNot: async () => undefined,
      };
      const readable = streams.open({ ...reader, response: res });
      res.once('close', () => readable.destroy());
      readable.once('error', (err) => res.destroy(err));
      readable.pipe(res);
      unread = () => readable.readableLength;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    socket.on('error', () => {});
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await eventually(() => expect(streams.count()).toBe(1));
    // Until the socket buffers between the two are full.
    while (unread() === 0) {
      for (const { send } of subscribers) send(CHUNK);
      await realSleep(50);
    }
    expect(streams.count()).toBe(1);

    void lifecycle.stop('test');
    await eventually(async () => expect(await connectionsOf(server)).toBe(0), { timeoutMs: 8_000 });
    expect(streams.count()).toBe(0);
  });
});

function connectionsOf(of: Server): Promise<number> {
  return new Promise((resolve, reject) =>
    of.getConnections((err, count) => (err ? reject(err) : resolve(count))),
  );
}
