import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { bootWebhooks, fakeCall, readEvents, type Webhooks } from './harness.ts';
import { type RawReceiver, rawAnswer, rawReceiver } from './raw-receiver.ts';

let webhooks: Webhooks;
let server: RawReceiver;
const workspace = randomUUID();

beforeAll(async () => {
  server = await rawReceiver();
  webhooks = await bootWebhooks({ env: { OUTBOUND_ALLOW_CIDRS: '127.0.0.1/32' } });
});

afterAll(async () => {
  // Closes the receiver first, which ends hanging attempts.
  await server.close();
  await webhooks.stopAll();
});

/** The recorded attempt of a new event at this path. */
async function attemptAt(path: string) {
  const call = fakeCall(server.url + path, webhooks.context.clock.now());
  await webhooks.bus.publish('call.started', workspace, call.started);
  return eventually(
    async () => {
      const [event] = await readEvents(webhooks, workspace, call.callId);
      const [attempt] = event?.log ?? [];
      if (!event || !attempt) throw new Error('nothing is recorded');
      return {
        verdict: event.status,
        reason: attempt.reason,
        status: attempt.status,
        body: attempt.responseBody,
      };
    },
    { timeoutMs: 25_000 },
  );
}
const newPath = () => `/${randomUUID()}`;

/** Sends this response and then nothing more. */
async function answered(answer: string | ((socket: Socket) => void)) {
  const path = newPath();
  server.script(path, (socket) => void (typeof answer === 'string' ? socket.write(answer) : answer(socket)));
  return attemptAt(path);
}

describe('every 2xx in time is a delivery [webhooks.9]', () => {
  it.concurrent.each([200, 201, 202, 203, 204, 205, 206, 207, 226, 250, 299])(
    '%d is a success',
    async (status) => {
      expect(await answered(rawAnswer(status))).toMatchObject({
        verdict: 'delivered',
        reason: 'delivered',
        status,
      });
    },
  );

  it.concurrent.each([
    300, 304, 305, 306, 309, 399, 400, 401, 403, 404, 408, 409, 410, 413, 418, 429, 451, 500, 502, 503, 504,
    599,
  ])('%d is an http_error [webhooks.12]', async (status) => {
    const answer = rawAnswer(status, { location: `${server.url}/elsewhere` });
    expect(await answered(answer)).toMatchObject({ verdict: 'pending', reason: 'http_error', status });
    expect(server.requests('/elsewhere')).toEqual([]);
  });

  it.concurrent('the head of a 2xx decides: a body that hangs or breaks off changes nothing [webhooks.9]', async () => {
    const head = 'HTTP/1.1 200 X\r\ncontent-length: 100\r\n\r\n';
    const bodies = {
      hangs: answered(`${head}abc`),
      'breaks off': answered((socket) => socket.end(`${head}abc`)),
      'is reset': answered((socket) => {
        socket.write(`${head}abc`, () => setTimeout(() => socket.resetAndDestroy(), 50));
      }),
      'has broken chunks': answered('HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n'),
      trickles: answered((socket) => {
        socket.write(head);
        const drip = setInterval(() => socket.write('a'), 500);
        socket.on('close', () => clearInterval(drip));
      }),
      'has no end': answered((socket) => {
        socket.write('HTTP/1.1 200 X\r\n\r\n');
        const flood = setInterval(() => socket.write('x'.repeat(16_384)), 10);
        socket.on('close', () => clearInterval(flood));
      }),
    };
    for (const [what, attempt] of Object.entries(bodies))
      expect([what, await attempt]).toMatchObject([
        what,
        { verdict: 'delivered', reason: 'delivered', status: 200 },
      ]);
    expect((await bodies['has no end']).body).toHaveLength(65_536);
    expect((await bodies.hangs).body).toBe('abc');
  }, 60_000);

  it.concurrent('no head within 12 seconds is a timeout', async () => {
    const heads = {
      'never comes': answered(() => {}),
      'comes after them': answered((socket) => void setTimeout(() => socket.write(rawAnswer(200)), 12_500)),
      trickles: answered((socket) => {
        const bytes = [...`HTTP/1.1 200 X\r\nx-long: ${'x'.repeat(1000)}\r\n\r\n`];
        const drip = setInterval(() => socket.write(bytes.shift() ?? 'x'), 200);
        socket.on('close', () => clearInterval(drip));
      }),
      'is announced only': answered((socket) => {
        const hints = setInterval(() => socket.write('HTTP/1.1 103 X\r\n\r\n'), 2_000);
        socket.on('close', () => clearInterval(hints));
      }),
    };
    for (const [what, attempt] of Object.entries(heads))
      expect([what, await attempt]).toMatchObject([
        what,
        { verdict: 'pending', reason: 'timeout', status: 0 },
      ]);
  }, 60_000);

  it.concurrent('more than eight informational responses are a connection error [webhooks.18]', async () => {
    const attempt = await answered((socket) => socket.write('HTTP/1.1 103 X\r\n\r\n'.repeat(9)));
    expect(attempt).toMatchObject({ verdict: 'pending', reason: 'connection_error', status: 0 });
  });

  it.concurrent.each<[string, string | ((socket: Socket) => void)]>([
    ['garbage', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
    ['HTTP of another version', 'HTTP/9.9 200 X\r\ncontent-length: 0\r\n\r\n'],
    ['a status that is none', 'HTTP/1.1 20 X\r\ncontent-length: 0\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 X\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\na'],
    ['a change of protocol', 'HTTP/1.1 101 X\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'],
    ['headers of 100 KB', `HTTP/1.1 200 X\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`],
    ['a reset', (socket) => socket.resetAndDestroy()],
    ['an end', (socket) => socket.end()],
    ['half a head', (socket) => socket.end('HTTP/1.1 200 X\r\ncontent-')],
  ])('%s is a connection_error', async (_what, answer) => {
    expect(await answered(answer)).toMatchObject({
      verdict: 'pending',
      reason: 'connection_error',
      status: 0,
    });
  });
});

describe('only 307 and 308 are followed, once [webhooks.12]', () => {
  it.concurrent.each([307, 308])('%d: the Location gets the same request', async (status) => {
    const [from, to] = [newPath(), newPath()];
    server.script(from, (socket) => socket.write(rawAnswer(status, { location: `${server.url}${to}?a=1` })));
    server.script(`${to}?a=1`, (socket) => socket.write(rawAnswer(200)));
    expect(await attemptAt(from)).toMatchObject({ verdict: 'delivered', status: 200 });
    const [[first = ''], [second = '']] = [server.requests(from), server.requests(`${to}?a=1`)];
    expect(second.split('\r\n')[0]).toBe(`POST ${to}?a=1 HTTP/1.1`);
    expect(second.split('\r\n').slice(1)).toEqual(first.split('\r\n').slice(1));
  });

  it.concurrent.each(['next', '/next', '?next', '//HOST/next'])(
    '307: a Location of %s is relative',
    async (location) => {
      const path = newPath();
      const to = new URL(location.replace('HOST', new URL(server.url).host), server.url + path);
      server.script(path, (socket) =>
        socket.write(rawAnswer(307, { location: location.replace('HOST', to.host) })),
      );
      server.script(to.pathname + to.search, (socket) => socket.write(rawAnswer(204)));
      expect(await attemptAt(path)).toMatchObject({ verdict: 'delivered', status: 204 });
    },
  );

  it.concurrent.each([301, 302, 303])('%d keeps its status', async (status) => {
    const answer = rawAnswer(status, { location: `${server.url}/elsewhere` });
    expect(await answered(answer)).toMatchObject({ verdict: 'pending', reason: 'redirect_refused', status });
    expect(server.requests('/elsewhere')).toEqual([]);
  });

  it.concurrent.each([
    [307, undefined],
    [308, undefined],
    [307, ''],
    [308, 'http://'],
    [307, 'ftp://127.0.0.1/'],
    [307, 'file:///etc/passwd'],
    [308, 'gopher://127.0.0.1/'],
    [307, 'javascript:1'],
    [308, 'https://user:pw@example.com/'],
    [307, 'http://8.8.8.8/'],
  ])('a %d to %p has no usable Location: refused with its own status', async (status, location) => {
    const answer = rawAnswer(status, location === undefined ? {} : { location });
    expect(await answered(answer)).toMatchObject({ verdict: 'pending', reason: 'redirect_refused', status });
  });

  it.concurrent.each([301, 302, 303, 307, 308])('a second one, %d, keeps its status', async (status) => {
    const [from, to] = [newPath(), newPath()];
    server.script(from, (socket) => socket.write(rawAnswer(307, { location: to })));
    server.script(to, (socket) => socket.write(rawAnswer(status, { location: '/elsewhere' })));
    expect(await attemptAt(from)).toMatchObject({ verdict: 'pending', reason: 'redirect_refused', status });
    expect([server.requests(from).length, server.requests(to).length]).toEqual([1, 1]);
    expect(server.requests('/elsewhere')).toEqual([]);
  });

  it.concurrent.each([307, 308])(
    '%d to a refused address is address_refused with status 0',
    async (status) => {
      for (const host of ['127.0.0.9', '[::1]', '169.254.169.254', '10.0.0.1', '0x7f.9']) {
        const location = `http://${host}/`;
        const attempt = await answered(rawAnswer(status, { location }));
        expect([location, attempt]).toMatchObject([
          location,
          { reason: 'address_refused', status: 0, body: null },
        ]);
      }
    },
  );

  it.concurrent('a redirect to an unreachable target has the result of that target', async () => {
    const answer = rawAnswer(307, { location: 'http://127.0.0.1:9/' });
    expect(await answered(answer)).toMatchObject({ reason: 'connection_error', status: 0 });
  });
});
