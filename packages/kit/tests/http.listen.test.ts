import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { Agent, get as httpGet, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { AppError } from '../src/errors/index.ts';
import { type App, listen, mount } from '../src/http/index.ts';
import { createLifecycle, type Lifecycle } from '../src/lifecycle/index.ts';
import { createLogger } from '../src/log/index.ts';
import { createMetrics } from '../src/observability/index.ts';
import { createOutboundClient } from '../src/outbound/index.ts';
import { as, bootApp, createThing, ID, type LogLine, uploadThings } from './http-harness.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const headOf = (path: string, headers: string) =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\nx-parley-internal: ${as('key')['x-parley-internal']}\r\n${headers}\r\n\r\n`;

let app: App;
let lines: LogLine[];
let lifecycle: Lifecycle;
let port: number;
/** Ends the slow requests. */
let finish: (() => void) | undefined;

async function boot(drainMs = 0): Promise<void> {
  finish = undefined;
  ({ app, lines } = bootApp());
  mount(app, createThing, async ({ body: { name } }) => {
    if (name === 'slow') {
      const others = finish;
      await new Promise<void>((resolve) => {
        finish = () => {
          others?.();
          resolve();
        };
      });
    }
    return { id: ID, name };
  });
  mount(app, { ...uploadThings, idempotent: false }, async ({ body }) => {
    let bytes = 0;
    for await (const chunk of body) {
      bytes += (chunk as Buffer).length;
      if (String(chunk).includes('stop')) break;
    }
    return { bytes };
  });
  lifecycle = createLifecycle(log, { deadlineMs: 5_000 });
  ({ port } = await listen(app, { host: '127.0.0.1', port: 0, drainMs }, lifecycle));
}

/** A connection and all that came back on it. */
function dial(): { socket: Socket; received: () => string } {
  const socket = connect(port, '127.0.0.1');
  let all = '';
  socket.on('data', (bytes) => {
    all += bytes;
  });
  socket.on('error', () => {});
  return { socket, received: () => all };
}

beforeAll(() => boot());
afterAll(() => lifecycle.stop('end of test'));

it('its port is internal, also if the operating system chose it: no outbound request reaches it [trust.12]', async () => {
  const { send } = createOutboundClient({ allowCidrs: ['127.0.0.0/8'], log });
  const request = { method: 'GET', url: `http://127.0.0.1:${port}/metrics`, headers: {} } as const;
  const rules = { deadlineMs: 5_000, allowHttp: true, followRedirects: false, readBody: 'full' } as const;
  expect(await send({ ...request, ...rules })).toMatchObject({ outcome: 'address_refused' });
});

describe('endless bodies', () => {
  it('get 413 as soon as the limit is passed, while the client is still sending', async () => {
    const { socket, received } = dial();
    socket.write(headOf('/v1/thing', 'transfer-encoding: chunked'));
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const writing = setInterval(() => socket.write(chunk), 1);
    await eventually(() => expect(received()).toContain('413 Payload Too Large'));
    clearInterval(writing);
    // What the client still sends is read away, and the connection serves the next request.
    socket.write(`0\r\n\r\n${headOf('/v1/thing', 'content-length: 12')}{"name":"n"}`);
    await eventually(() => expect(received()).toContain('201 Created'));
    socket.destroy();
  });

  it('are cut off if the client never stops sending', async () => {
    const { socket, received } = dial();
    socket.write(headOf('/v1/thing', 'content-length: 99999999'));
    await eventually(() => expect(received()).toContain('413 Payload Too Large'));
    const writing = setInterval(() => socket.write('x'), 50);
    // A client that writes to a closed connection may get an error first.
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(writing);
  }, 10_000);

  it('may be aborted by the client', async () => {
    const before = lines.length;
    const begun = new Set<string | undefined>();
    const onBegun = (message: unknown) => begun.add((message as { request: IncomingMessage }).request.url);
    subscribe('http.server.request.start', onBegun);
    for (const path of ['/v1/thing', '/v1/thing/upload']) {
      const { socket } = dial();
      socket.write(`${headOf(path, 'content-length: 100')}{"na`);
      await eventually(() => expect(begun).toContain(path));
      socket.destroy();
    }
    unsubscribe('http.server.request.start', onBegun);
    const finished = () => lines.slice(before).filter(({ msg }) => msg === 'request finished');
    await eventually(() => expect(finished().map(({ status }) => status)).toEqual([499, 499]));
  });

  it('get a response when their reader stops early', async () => {
    const { socket, received } = dial();
    socket.write(`${headOf('/v1/thing/upload', 'content-length: 100')}stop`);
    await eventually(() => expect(received()).toContain('{"bytes":4}'));
    socket.destroy();
  });
});

describe('pipelined requests', () => {
  it('all close when their client disconnects, also those whose responses wait for an earlier one', async () => {
    const { socket } = dial();
    const post = (name: string) => {
      const headers = `x-request-id: pipelined\r\ncontent-length: ${name.length + 11}`;
      return `${headOf('/v1/thing', headers)}{"name":"${name}"}`;
    };
    socket.write(post('slow') + post('slow') + post('quick'));
    await eventually(() => expect(finish).toBeDefined());
    finish = undefined;
    socket.destroy();
    const closed = () => lines.filter(({ requestId }) => requestId === 'pipelined');
    await eventually(() => expect(closed().map(({ status }) => status)).toEqual([499, 499, 499]));
  });
});

describe('thousands of pipelined requests', () => {
  it.each(['', 'Expect: x\r\n'])(
    'close their connections, and others are served: %j [trust.1]',
    async (header) => {
      const slow = `${headOf('/v1/thing', 'content-length: 15')}{"name":"slow"}`;
      const flood = Array.from({ length: 5 }, () => dial().socket);
      for (const socket of flood)
        socket.write(slow + `GET /nope HTTP/1.1\r\nHost: x\r\n${header}\r\n`.repeat(1_300));
      // Much sooner than those whose headers do not arrive.
      const signal = AbortSignal.timeout(5_000);
      await Promise.race(flood.map((socket) => once(socket, 'close', { signal })));
      for (const socket of flood) socket.destroy();
      expect(lines).toContainEqual(
        expect.objectContaining({ level: 'warn', limit: 'pipelining', remote: '127.0.0.1' }),
      );
      const { socket, received } = dial();
      socket.write(`${headOf('/v1/thing', 'content-length: 12')}{"name":"n"}`.repeat(2));
      await eventually(() => expect(received().match(/201 Created/g)).toHaveLength(2));
      socket.destroy();
      finish?.();
      finish = undefined;
    },
  );
});

describe('stopping', () => {
  it('finishes requests in flight, sends Connection: close, and refuses new ones', async () => {
    const agent = new Agent({ keepAlive: true });
    const { socket: idle } = dial();
    const ready = await new Promise<IncomingMessage>((resolve) => {
      httpGet({ port, path: '/readyz', agent }, resolve);
    });
    expect([ready.statusCode, await text(ready)]).toEqual([200, '{"status":"ok"}']);
    const { socket, received } = dial();
    socket.write(`${headOf('/v1/thing', 'content-length: 15')}{"name":"slow"}`);
    const idleClosed = once(idle, 'close');
    await eventually(() => expect(finish).toBeDefined());

    const stopped = lifecycle.stop('test');
    const [refusal] = await once(connect(port, '127.0.0.1'), 'error');
    expect(refusal).toMatchObject({ code: 'ECONNREFUSED' });
    finish?.();
    await stopped;
    await idleClosed;
    await eventually(() => expect(received()).toContain('201 Created'));
    expect(received().toLowerCase()).toContain('connection: close');
    agent.destroy();
    await boot();
  });

  it('serves on for the drain time, unready, and closes every connection after its response', async () => {
    await lifecycle.stop('the next one drains');
    await boot(1_500);
    const { socket: kept, received: onKept } = dial();
    kept.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    await eventually(() => expect(onKept()).toContain('200 OK'));
    expect(onKept().toLowerCase()).toContain('connection: keep-alive');

    const stopped = lifecycle.stop('test');
    const { socket, received } = dial();
    socket.write('GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n');
    kept.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    await Promise.all([once(socket, 'close'), once(kept, 'close')]);
    expect(received()).toContain('503 Service Unavailable');
    expect(onKept().toLowerCase()).toMatch(/200 ok[\s\S]*200 ok[\s\S]*connection: close/);
    // Both connections were closed by their responses, not by the shutdown.
    expect(await Promise.race([stopped, Promise.resolve('draining')])).toBe('draining');
    await stopped;
    await boot();
  });
});

describe('connections', () => {
  it('are limited per network and in total; a shared address counts only towards the total [trust.1]', async () => {
    const lifecycle = createLifecycle(log, { deadlineMs: 5_000 });
    let isShared = false;
    const networkOf = (address: string) => address.replace(/\d+$/, '0');
    const connections = { max: 6, perNetwork: 3, networkOf, isShared: () => isShared };
    const metrics = createMetrics('test');
    const { app, lines } = bootApp({ metrics });
    const { port } = await listen(app, { host: '127.0.0.1', port: 0, connections }, lifecycle);
    const open = async (count: number): Promise<Socket[]> => {
      // From different addresses of one network.
      const sockets = Array.from({ length: count }, (_, n) =>
        connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${n + 1}` }).on('error', () => {}),
      );
      await Promise.all(sockets.map((socket) => once(socket, 'connect')));
      return sockets;
    };
    const living = (sockets: Socket[]) => sockets.filter(({ readyState }) => readyState === 'open').length;
    const own = await open(5);
    await eventually(() => expect(living(own)).toBe(3));
    isShared = true;
    const shared = await open(5);
    await eventually(() => expect(living(shared)).toBe(3));
    const { values } = await metrics.connectionsClosed.get();
    expect(values.map(({ labels, value }) => [labels.limit, value])).toEqual([
      ['network', 2],
      ['total', 2],
    ]);
    const logged = lines.map(({ limit, remote }) => [limit, remote]);
    expect(logged).toEqual(
      ['network', 'total'].map((limit) => [limit, expect.stringMatching(/^127\.0\.0\.\d$/)]),
    );
    for (const socket of [...own, ...shared]) socket.destroy();
    isShared = false;
    await eventually(async () => {
      const [again] = await open(1);
      const answer = fetch(`http://127.0.0.1:${port}/healthz`).then(({ status }) => status);
      again?.destroy();
      expect(await answer).toBe(200);
    });
    await lifecycle.stop('test is over');
  });
});

describe('a request that asks for another protocol than a WebSocket', () => {
  it('is served as one that asks for nothing, with its body', async () => {
    const ofTest = createLifecycle(log, { deadlineMs: 5_000 });
    const { app: served } = bootApp();
    mount(served, createThing, async ({ body: { name } }) => ({ id: ID, name }));
    const connections = {
      max: 6,
      perNetwork: 1,
      networkOf: (address: string) => address,
      isShared: () => false,
    };
    const on = { host: '127.0.0.1', port: 0, connections };
    const listening = await listen(served, { ...on, onWebSocket: () => Promise.reject() }, ofTest);
    const body = JSON.stringify({ name: 'x'.repeat(40) });
    const asked = 'connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAAA';
    const headers = `content-type: application/json\r\ncontent-length: ${body.length}\r\n${asked}`;
    const socket = connect(listening.port, '127.0.0.1');
    // The end of the body comes later.
    socket.write(`${headOf(createThing.path, headers)}${body.slice(0, 20)}`);
    await once(socket, 'connect');
    setImmediate(() => socket.write(body.slice(20)));
    const answer = await text(socket);
    expect(answer).toContain('HTTP/1.1 201');
    expect(answer).toContain('x'.repeat(40));
    await ofTest.stop('test is over');
  });
});

describe('a request for another protocol behind one that is under way', () => {
  it.each([
    ['h2c', 'GET /healthz', 'HTTP/1.1 200'],
    ['websocket', 'GET /v1/audio', 'HTTP/1.1 401'],
  ])('%s: is answered after it', async (protocol, request, status) => {
    const ofTest = createLifecycle(log, { deadlineMs: 5_000 });
    const { app: served } = bootApp();
    let answer: (() => void) | undefined;
    served.router.get('/held', (_req, res) => {
      answer = () => res.type('text').send('held');
    });
    const refuse = () => Promise.reject(new AppError('UNAUTHORIZED', 'No'));
    const listening = await listen(served, { host: '127.0.0.1', port: 0, onWebSocket: refuse }, ofTest);
    const socket = connect(listening.port, '127.0.0.1');
    const upgrade = `Connection: Upgrade\r\nUpgrade: ${protocol}\r\n`;
    socket.write(`GET /held HTTP/1.1\r\nHost: x\r\n\r\n${request} HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n`);
    await eventually(() => expect(answer).toBeDefined());
    answer?.();
    expect(await text(socket)).toMatch(new RegExp(`^HTTP/1.1 200 OK\r\n[^]*held${status}`));
    await ofTest.stop('test is over');
  });

  it.each([
    ['h2c', 'begins later'],
    ['h2c', 'has begun'],
    ['websocket', 'begins later'],
    ['websocket', 'has begun'],
  ])('%s: is dropped if the server stops meanwhile and the response before it %s', async (protocol, when) => {
    const ofTest = createLifecycle(log, { deadlineMs: 60_000 });
    const { app: served } = bootApp();
    let answer: (() => void) | undefined;
    served.router.get('/held', (_req, res) => {
      if (when === 'has begun') res.type('text').write('begun');
      answer = () => res.end('held');
    });
    const taken: string[] = [];
    served.router.get('/behind', (_req, res) => {
      taken.push('h2c');
      res.end();
    });
    const onWebSocket = async () => void taken.push('websocket');
    const listening = await listen(served, { host: '127.0.0.1', port: 0, onWebSocket }, ofTest);
    const socket = connect(listening.port, '127.0.0.1');
    const upgrade = `Connection: Upgrade\r\nUpgrade: ${protocol}\r\n`;
    socket.write(`GET /held HTTP/1.1\r\nHost: x\r\n\r\nGET /behind HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n`);
    await eventually(() => expect(answer).toBeDefined());
    socket.write('bytes that are never read');
    const stopped = ofTest.stop('test');
    await once(connect(listening.port, '127.0.0.1'), 'error');
    answer?.();
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 OK\r\n[\s\S]*held(\r\n0\r\n\r\n)?$/);
    await stopped;
    expect(taken).toEqual([]);
  });
});

it('a request for a WebSocket with two hosts is 400, as any other', async () => {
  const ofTest = createLifecycle(log, { deadlineMs: 5_000 });
  const onWebSocket = async () => {
    throw new AppError('NOT_FOUND', 'It reached the handler');
  };
  const on = { host: '127.0.0.1', port: 0, onWebSocket };
  const listening = await listen(bootApp().app, on, ofTest);
  const socket = connect(listening.port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nhost: y\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n');
  expect(await text(socket)).toContain('HTTP/1.1 400 Bad Request');
  await ofTest.stop('test is over');
});
