import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type WebSocket, WebSocketServer } from 'ws';
import { type LiveSocket, openLiveSocket } from '../src/live/live-socket.ts';
import type { SpeechError } from '../src/ports.ts';

const PING_MS = 100;
const flood = (send: () => void, times: number): void => {
  for (let n = 0; n < times; n += 1) send();
};
const given = {
  provider: 'double',
  headers: {},
  key: undefined,
  connectMs: 2_000,
  pingMs: PING_MS,
  signal: new AbortController().signal,
  greet: () => {},
  read: () => true,
};

describe('the connection to a live model [assistants.23]', () => {
  let server: Server | undefined;
  let live: LiveSocket | undefined;
  let sockets: WebSocketServer | undefined;
  afterEach(() => {
    live?.close();
    for (const client of sockets?.clients ?? []) client.terminate();
    server?.close();
  });

  /** A provider that is ready at once, and then does what the test says. */
  const open = async (autoPong: boolean, serve = (_: WebSocket): void => {}) => {
    sockets = new WebSocketServer({ noServer: true, autoPong });
    server = createServer().on('upgrade', (request, socket, head) =>
      sockets?.handleUpgrade(request, socket, head, (client) => {
        client.send('{}');
        serve(client);
      }),
    );
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const failures: SpeechError[] = [];
    live = await openLiveSocket({
      ...given,
      url: new URL(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`),
      onFailure: (failure) => failures.push(failure),
    });
    return failures;
  };
  const after = (pings: number) => new Promise((resolve) => setTimeout(resolve, pings * PING_MS));

  it('has failed if no header can carry its key', async () => {
    const opened = openLiveSocket({
      ...given,
      url: new URL('ws://127.0.0.1:1'),
      headers: { authorization: 'Bearer sk-first\nsecond' },
      connectMs: PING_MS,
      onFailure: () => {},
    });
    await expect(opened).rejects.toMatchObject({ kind: 'request' });
    await after(2);
  });

  it('has failed when the provider swallows everything, although the human speaks', async () => {
    const failures = await open(false);
    for (let n = 0; n < 50 && failures.length === 0; n += 1) {
      live?.send({ audio: 'AAAA' });
      await after(0.2);
    }
    expect(failures).toMatchObject([{ kind: 'timeout', message: expect.stringContaining('dead') }]);
  });

  it.each([
    ['large messages', (client: WebSocket) => flood(() => client.send(`"${'x'.repeat(1024 ** 2)}"`), 60)],
    ['small messages', (client: WebSocket) => flood(() => client.send('1'), 60_000)],
    // More at once are too many for the library.
    ['pings', (client: WebSocket) => void setInterval(() => flood(() => client.ping(), 50), 1).unref()],
  ])('has failed when the provider sends %s without end [trust.1]', async (_, serve) => {
    const failures = await open(true, serve);
    for (let n = 0; n < 200 && failures.length === 0; n += 1) await after(0.5);
    // On a busy machine more pings may arrive at once than the library takes: it gives up first.
    expect(failures).toMatchObject([{ kind: expect.stringMatching(/^(protocol|unavailable)$/) }]);
  });

  it.each([
    ['answers pings', true, undefined],
    ['sends messages', false, (client: WebSocket) => void setInterval(() => client.send('{}'), 30).unref()],
  ])('lasts while the provider %s', async (_, autoPong, serve) => {
    const failures = await open(autoPong, serve);
    await after(5);
    expect(failures).toEqual([]);
  });
});
