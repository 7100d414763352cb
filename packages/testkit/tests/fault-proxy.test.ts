import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { canaryListener, eventually, type FaultProxy, faultProxy, freePort } from '../src/index.ts';
import { closed, listenLocally } from '../src/ports.ts';

let echo: Server;
let proxy: FaultProxy;
let sockets: Socket[];

beforeEach(async () => {
  sockets = [];
  echo = createServer((socket) => {
    socket.on('error', () => {});
    socket.pipe(socket);
  });
  proxy = await faultProxy(`tcp://127.0.0.1:${await listenLocally(echo)}`);
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await proxy.close();
  await closed(echo);
});

/** A connection through the proxy that keeps what came back. */
function open() {
  const socket = connect(proxy.port, '127.0.0.1');
  sockets.push(socket);
  let received = '';
  let broken = false;
  socket.on('error', () => {});
  socket.on('close', () => {
    broken = true;
  });
  socket.on('data', (bytes) => {
    received += bytes;
  });
  return { socket, received: () => received, broken: () => broken };
}

describe('faultProxy', () => {
  it('passes bytes both ways, under a URL that differs only in the port', async () => {
    const { socket, received } = open();
    socket.write('hello');
    await eventually(() => expect(received()).toBe('hello'));
    const proxied = await faultProxy('amqp://guest:secret@127.0.0.1:5672/vhost?x=1');
    expect(proxied.url).toBe(`amqp://guest:secret@127.0.0.1:${proxied.port}/vhost?x=1`);
    await proxied.close();
  });

  it('breaks open connections and refuses new ones while cut, and works again when restored', async () => {
    const before = open();
    before.socket.write('a');
    await eventually(() => expect(before.received()).toBe('a'));
    proxy.cut();
    const during = open();
    await eventually(() => expect([before.broken(), during.broken()]).toEqual([true, true]));
    await eventually(() => expect(proxy.connections()).toBe(0));
    proxy.restore();
    const after = open();
    after.socket.write('b');
    await eventually(() => expect(after.received()).toBe('b'));
  });

  it('retains bytes while frozen, with connections open, and passes them on when restored', async () => {
    const old = open();
    await once(old.socket, 'connect');
    proxy.freeze();
    const fresh = open();
    await once(fresh.socket, 'connect');
    old.socket.write('old');
    fresh.socket.write('new');
    await expect(
      eventually(() => expect(old.received() + fresh.received()).not.toBe(''), { timeoutMs: 200 }),
    ).rejects.toThrow();
    expect([old.broken(), fresh.broken()]).toEqual([false, false]);
    proxy.restore();
    await eventually(() => expect([old.received(), fresh.received()]).toEqual(['old', 'new']));
  });
});

describe('canaryListener', () => {
  it('counts connections', async () => {
    const canary = await canaryListener();
    expect(canary.hits()).toBe(0);
    await expect(fetch(canary.url)).rejects.toThrow();
    expect(canary.hits()).toBeGreaterThan(0);
    await canary.close();
  });
});

describe('freePort', () => {
  it('is free to listen on', async () => {
    const port = await freePort();
    const server = createServer();
    expect(await listenLocally(server, port)).toBe(port);
    await closed(server);
  });
});
