import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { listen, mount } from '../src/http/index.ts';
import { createLifecycle, type Lifecycle } from '../src/lifecycle/index.ts';
import { createLogger } from '../src/log/index.ts';
import { as, bootApp, createThing, ID, type LogLine } from './http-harness.ts';

const headers = { 'x-content-type-options': 'nosniff' };
let lifecycle: Lifecycle;
let lines: LogLine[];
let port: number;
const held = new Set<() => void>();
const messagesSince = (before: number) => lines.slice(before).map(({ msg }) => msg);

beforeAll(async () => {
  const booted = bootApp({ headers });
  lines = booted.lines;
  // A response that begins and ends later, and one that begins later.
  booted.app.router.get('/half', (_req, res) => {
    res.type('text').write('begun');
    held.add(() => res.end('whole'));
  });
  booted.app.router.get('/held', (_req, res) => void held.add(() => res.type('text').send('held')));
  mount(booted.app, createThing, ({ body: { name } }) => ({ id: ID, name }));
  lifecycle = createLifecycle(createLogger({ service: 'test', level: 'silent' }), { deadlineMs: 5_000 });
  ({ port } = await listen(booted.app, { host: '127.0.0.1', port: 0, headersTimeoutMs: 1_000 }, lifecycle));
});
afterAll(() => lifecycle.stop('end of test'));

/** All that comes back until the connection is closed, by the other side. */
async function exchange(sent: string, then?: (socket: Socket, received: string) => void): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes;
    then?.(socket, received);
  });
  socket.on('error', () => {});
  socket.write(sent);
  await new Promise((resolve) => socket.once('close', resolve));
  return received;
}

function read(answer: string) {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const [status, ...fields] = head.split('\r\n');
  const pairs = fields.map((field): [string, string] => {
    const [name = '', value = ''] = field.split(': ');
    return [name.toLowerCase(), value];
  });
  return { status, headers: Object.fromEntries(pairs), body };
}

const post = (more: string) =>
  `POST /v1/thing HTTP/1.1\r\nhost: x\r\nx-parley-internal: ${as('key')['x-parley-internal']}\r\n${more}\r\n\r\n`;

const UNREADABLE: [what: string, sent: string, status: string, code: string][] = [
  ['no request', 'GARBAGE\r\n\r\n', '400 Bad Request', 'BAD_REQUEST'],
  ['no host', 'GET /v1/thing HTTP/1.1\r\n\r\n', '400 Bad Request', 'BAD_REQUEST'],
  ['two hosts', 'GET /v1/thing HTTP/1.1\r\nhost: x\r\nHost: y\r\n\r\n', '400 Bad Request', 'BAD_REQUEST'],
  [
    'a compressed transfer [general.22]',
    `${post('transfer-encoding: gzip, chunked')}f\r\n{"name":"a bc"}\r\n0\r\n\r\n`,
    '415 Unsupported Media Type',
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  ['a length that is none', post('content-length: x'), '400 Bad Request', 'BAD_REQUEST'],
  [
    'two lengths at once',
    post('content-length: 2\r\ntransfer-encoding: chunked'),
    '400 Bad Request',
    'BAD_REQUEST',
  ],
  ['a chunk that is none', `${post('transfer-encoding: chunked')}zz\r\n`, '400 Bad Request', 'BAD_REQUEST'],
  [
    'endless extensions of a chunk',
    `${post('transfer-encoding: chunked')}1;${'x'.repeat(20_000)}`,
    '413 Payload Too Large',
    'PAYLOAD_TOO_LARGE',
  ],
  ['another expectation', post('expect: tea'), '417 Expectation Failed', 'EXPECTATION_FAILED'],
  [
    'too large a head',
    post(`x: ${'y'.repeat(30_000)}`),
    '431 Request Header Fields Too Large',
    'HEADERS_TOO_LARGE',
  ],
  ['a slow head', 'GET /v1/thing HTTP/1.1\r\nhost:', '408 Request Timeout', 'REQUEST_TIMEOUT'],
];

describe('malformed requests', () => {
  it.each(UNREADABLE)(
    '%s: the error envelope, with an id that is logged, and the connection is closed',
    async (_what, sent, status, code) => {
      const answer = read(await exchange(sent));
      expect(answer.status).toBe(`HTTP/1.1 ${status}`);
      expect(answer.headers).toMatchObject({
        ...headers,
        'content-type': 'application/json; charset=utf-8',
        'content-length': String(answer.body.length),
        connection: 'close',
      });
      expect(JSON.parse(answer.body)).toEqual({
        success: false,
        error: { code, message: expect.any(String) },
      });
      const requestId = answer.headers['x-request-id'];
      expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
      await eventually(() => expect(lines.filter((line) => line.requestId === requestId)).not.toEqual([]));
    },
  );

  it("a request with a broken body keeps its client's request id", async () => {
    const answer = read(await exchange(`${post('x-request-id: mine\r\ntransfer-encoding: chunked')}zz\r\n`));
    expect(answer.headers['x-request-id']).toBe('mine');
  });

  it.each([
    ['garbage', 'GARBAGE\r\n\r\n'],
    ['too large a head', `GET / HTTP/1.1\r\nx: ${'y'.repeat(30_000)}`],
    ['a slow head', 'GET /v1/thing HTTP/1.1\r\nhost:'],
  ])('%s behind requests that are under way affects none of them', async (_what, malformed) => {
    held.clear();
    const ask = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
    const before = lines.length;
    const received = exchange(ask('/half') + ask('/held'), (socket, so) => {
      if (so.endsWith('begun\r\n')) socket.write(malformed);
    });
    await eventually(() => expect(messagesSince(before)).toContain('malformed bytes behind a request'));
    for (const finish of held) finish();
    expect(await received).toMatch(
      /^HTTP\/1\.1 200 OK\r\n[\s\S]*begun[\s\S]*whole[\s\S]*HTTP\/1\.1 200 OK\r\n[\s\S]*held$/,
    );
  });

  it.each(['/held', '/half'])('a broken body behind %s is answered after it', async (path) => {
    held.clear();
    const broken = `${post(`x-request-id: behind-${path.slice(1)}\r\ntransfer-encoding: chunked`)}zz\r\n`;
    const received = exchange(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n${broken}`, (socket) =>
      socket.write('more of it'),
    );
    await eventually(() => expect(held.size).toBe(1));
    for (const finish of held) finish();
    const answers = await received;
    expect(answers).toMatch(
      /^HTTP\/1\.1 200 OK\r\n[\s\S]*(held|whole\r\n0\r\n\r\n)HTTP\/1\.1 400 Bad Request\r\n[\s\S]*"BAD_REQUEST"[\s\S]*\}$/,
    );
    expect(answers).toContain(`x-request-id: behind-${path.slice(1)}`);
    expect(
      lines.filter(
        ({ requestId, msg }) =>
          requestId === `behind-${path.slice(1)}` && msg === 'malformed request rejected',
      ),
    ).toHaveLength(1);
  });

  it('a request that waits to continue behind another one continues after it', async () => {
    held.clear();
    const body = '{"name":"Ada"}';
    const expecting = post(
      `content-type: application/json\r\nconnection: close\r\nexpect: 100-continue\r\ncontent-length: ${body.length}`,
    );
    const received = exchange(`GET /held HTTP/1.1\r\nhost: x\r\n\r\n${expecting}`, (socket, so) => {
      if (so.endsWith('100 Continue\r\n\r\n')) socket.write(body);
    });
    await eventually(() => expect(held.size).toBe(1));
    for (const finish of held) finish();
    expect(await received).toMatch(
      /^HTTP\/1\.1 200 OK\r\n[\s\S]*heldHTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 Created\r\n[\s\S]*Ada[\s\S]*$/,
    );
  });

  it('a client that resets its connection has sent nothing malformed', async () => {
    held.clear();
    const before = lines.length;
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /held HTTP/1.1\r\nhost: x\r\n\r\n');
    await eventually(() => expect(held.size).toBe(1));
    socket.resetAndDestroy();
    await eventually(() => expect(messagesSince(before)).toContain('request finished'));
    expect(messagesSince(before)).toEqual(['request finished']);
  });

  it('a request behind one that closes the connection does not affect it', async () => {
    const first = 'GET /held HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
    held.clear();
    const before = lines.length;
    const received = exchange(`${first}GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n`);
    await eventually(() => expect(messagesSince(before)).toContain('malformed bytes behind a request'));
    for (const finish of held) finish();
    expect(await received).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*held$/);
  });

  it('garbage after a response does not affect it', async () => {
    const answers = await exchange('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n', (socket, received) => {
      if (received.includes('{"status":"ok"}')) socket.write('GARBAGE\r\n\r\n');
    });
    expect(answers).toMatch(/^HTTP\/1.1 200 OK\r\n[\s\S]*\{"status":"ok"\}HTTP\/1.1 400 Bad Request\r\n/);
  });
});
