import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { bootPlatform, type Platform } from '@parley/testkit/stage';

// Clients that want the platform's connections, memory or patience, at the door and at a service behind it.

const MEBIBYTE = 1024 * 1024;
/** A head has ten seconds, and it is looked every two and a half whether it had them; the rest is a busy machine. */
const HEAD_WITHIN_MS = 20_000;

let platform: Platform;
const sockets = new Set<Socket>();

beforeAll(async () => {
  platform = await bootPlatform({ defaultLimits: true });
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await platform?.stop();
});

const doors = [
  ['the gateway', () => platform.url],
  ['a service', () => platform.inside.assistants.url],
] as const;

/** A connection that sends this and collects all data until the other end closes it. */
function open(url: string, text = '') {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  sockets.add(socket);
  const chunks: Buffer[] = [];
  const beganMs = performance.now();
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined);
  // Kept until it is connected, and before all that is written after it.
  socket.write(text);
  const closed = new Promise<number>((resolve) => {
    socket.once('close', () => resolve(performance.now() - beganMs));
  });
  return { socket, closed, response: () => Buffer.concat(chunks).toString('latin1') };
}

const statusLineOf = (response: string): string => response.split('\r\n')[0] ?? '';
const bearer = () => `Authorization: Bearer ${platform.workspace.private_key}\r\n`;

describe('a slow connection', () => {
  it.concurrent.each(doors)('%s: is closed if it sends nothing', async (_, url) => {
    const { closed } = open(url());
    expect(await closed).toBeLessThan(HEAD_WITHIN_MS);
  });

  it.concurrent.each(doors)('%s: is closed in the middle of a slow head', async (_, url) => {
    const { socket, closed, response } = open(url(), 'GET /healthz HTTP/1.1\r\nHost: x\r\n');
    const drip = setInterval(() => socket.write('x-more: 1\r\n'), 250);
    expect(await closed).toBeLessThan(HEAD_WITHIN_MS);
    clearInterval(drip);
    expect(statusLineOf(response())).toBe('HTTP/1.1 408 Request Timeout');
  });

  it.concurrent('gets a response even if its body stops half-way [general.26]', async () => {
    const head = `POST /v1/assistant HTTP/1.1\r\nHost: x\r\n${bearer()}Content-Type: application/json\r\n`;
    const { closed, response } = open(platform.url, `${head}Content-Length: 100\r\n\r\n{"agent_name":`);
    expect(await closed).toBeLessThan(30_000);
    expect(statusLineOf(response())).toBe('HTTP/1.1 408 Request Timeout');
    expect(response()).toContain('"code":"REQUEST_TIMEOUT","message":"The body did not arrive in time"');
  });

  it.concurrent('delays no other, even in hundreds', async () => {
    const silent = Array.from({ length: 400 }, () => open(platform.url, 'GET /healthz HTTP/1.1\r\n'));
    await sleep(500);
    const { status } = await platform.api.request('GET', '/v1/voice');
    expect(status).toBe(200);
    await Promise.all(silent.map(({ closed }) => closed));
  });
});

describe('an excessive head', () => {
  it.each(doors)('%s: above the limit gets 431', async (_, url) => {
    const { closed, response } = open(url(), `GET /healthz HTTP/1.1\r\nx: ${'x'.repeat(30_000)}\r\n\r\n`);
    await closed;
    expect(statusLineOf(response())).toMatch(/ 431 /);
  });

  it.each(doors)('%s: without an end is cut off', async (_, url) => {
    const { socket, closed, response } = open(url(), 'GET /healthz HTTP/1.1\r\n');
    const flood = setInterval(() => socket.write(`x: ${'x'.repeat(4_000)}\r\n`), 5);
    await closed;
    clearInterval(flood);
    expect(statusLineOf(response())).toMatch(/ 431 /);
  });

  it.each(doors)(
    '%s: a thousand lines are answered or refused, and the next request is served',
    async (_, url) => {
      const lines = Array.from({ length: 1_000 }, (_line, i) => `h${i}: 1\r\n`).join('');
      const { closed, response } = open(
        url(),
        `GET /healthz HTTP/1.1\r\nHost: x\r\n${lines}Connection: close\r\n\r\n`,
      );
      await closed;
      expect(statusLineOf(response())).toMatch(/^HTTP\/1.1 (200|431) /);
      expect((await fetch(`${url()}/healthz`)).status).toBe(200);
    },
  );

  it('with hundreds of lines keeps the last ones: an Idempotency-Key is read at any position', async () => {
    const body = '{"agent_name": "Ada"}';
    const lines = 'accept: */*\r\n'.repeat(300);
    const head = `POST /v1/assistant HTTP/1.1\r\nHost: x\r\n${bearer()}Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n${lines}Idempotency-Key: last\r\n\r\n`;
    const ids: (string | undefined)[] = [];
    for (let n = 0; n < 2; n += 1) {
      const { closed, response } = open(platform.url, head + body);
      await closed;
      expect(statusLineOf(response())).toMatch(/ 201 /);
      ids.push(/"id":"([^"]+)"/.exec(response())?.[1]);
    }
    expect(ids[1]).toBe(ids[0]);
  });

  it.each(doors)('%s: two lengths, and a length together with chunks, are refused', async (_, url) => {
    for (const both of [
      'Content-Length: 1\r\nContent-Length: 2\r\n',
      'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n',
    ]) {
      const { closed, response } = open(url(), `POST /v1/assistant HTTP/1.1\r\nHost: x\r\n${both}\r\n`);
      await closed;
      expect(statusLineOf(response())).toMatch(/ 400 /);
    }
  });
});

describe('headers of every response of the gateway', () => {
  it.each([
    ['GET', '/v1/voice', 200],
    ['GET', '/v1/nothing', 404],
    ['DELETE', '/v1/campaigns', 405],
    ['POST', '/v1/assistant', 422],
    ['GET', '/calls', 200],
    ['GET', '/healthz', 200],
    ['GET', '/openapi.json', 200],
    ['GET', '/recordings/none', 403],
    ['GET', '/widget/session/messages', 401],
  ])('%s %s (%i)', async (method, path, expected) => {
    const { status, headers } = await fetch(platform.url + path, {
      method,
      headers: { authorization: `Bearer ${platform.workspace.private_key}` },
    });
    expect(status).toBe(expected);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    // Responses that are the same for all callers may be cached, with revalidation.
    expect(headers.get('cache-control')).toMatch(path === '/openapi.json' ? 'no-cache' : /no-store|private/);
    for (const name of ['server', 'x-powered-by']) expect(headers.get(name)).toBeNull();
  });
});

describe('an excessive body', () => {
  const head = () =>
    `POST /v1/assistant HTTP/1.1\r\nHost: x\r\n${bearer()}Content-Type: application/json\r\n`;

  it('with its length announced is refused before it arrives', async () => {
    const { socket, response } = open(platform.url, `${head()}Content-Length: ${100 * MEBIBYTE}\r\n\r\n`);
    await eventually(() => expect(statusLineOf(response())).toMatch(/ 413 /));
    socket.destroy();
  });

  it('without an end costs little memory, is refused and cut off', async () => {
    const services = ['gateway', 'assistants'] as const;
    const resident = () => Promise.all(services.map((service) => platform.residentBytes(service)));
    const before = await resident();
    const most = [...before];
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    const floods = Array.from({ length: 8 }, () => {
      const flood = open(platform.url, `${head()}Transfer-Encoding: chunked\r\n\r\n`);
      const pour = () => {
        while (!flood.socket.destroyed && flood.socket.write(chunk));
      };
      flood.socket.on('drain', pour).on('connect', pour);
      return flood;
    });
    const watch = setInterval(async () => {
      for (const [i, bytes] of (await resident()).entries()) most[i] = Math.max(most[i] ?? 0, bytes);
    }, 50);
    await Promise.all(floods.map(({ closed }) => closed));
    clearInterval(watch);
    // Their bytes count against the rate limit, which may refuse the last of them before their bodies are too large. A client that goes on sending
    // may lose the response: the reset of its connection discards what it has not read.
    for (const { response } of floods) expect(statusLineOf(response())).toMatch(/^$| (413|429) /);
    expect(floods.some(({ response }) => / 413 /.test(statusLineOf(response())))).toBe(true);
    for (const [i, service] of services.entries()) {
      expect([service, ((most[i] ?? 0) - (before[i] ?? 0)) / MEBIBYTE < 64]).toEqual([service, true]);
    }
    // The sent bodies only take from the workspace's rate limit.
    expect((await platform.api.request('GET', '/v1/voice')).status).toBe(429);
    expect((await fetch(`${platform.url}/healthz`)).status).toBe(200);
    await eventually(async () => expect((await platform.api.request('GET', '/v1/voice')).status).toBe(200), {
      timeoutMs: 60_000,
    });
  });

  it('many pipelined requests are answered in turn, and no more of them than the limit allows', async () => {
    // Fewer than may wait: `listen` closes the connection beyond that (packages/kit/tests/http.listen.test.ts).
    const count = 900;
    const one = `GET /v1/voice HTTP/1.1\r\nHost: x\r\n${bearer()}\r\n`;
    const last = `GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    const { closed, response } = open(platform.url, one.repeat(count) + last);
    await closed;
    const statuses = [...response().matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
    expect(statuses).toHaveLength(count + 1);
    expect(statuses.filter((status) => status === '429').length).toBeGreaterThan(count / 2);
  });
});
