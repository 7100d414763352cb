import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import { realSleep } from '@parley/kit/time';
import { eventually } from '@parley/testkit';
import { createFailureLimit } from '../src/limits/limit-failures.ts';
import { createLocalLimiter } from '../src/limits/local-limiter.ts';
import { slowRefusals } from '../src/limits/slow-refusals.ts';
import { createTurns } from '../src/turns/turns.ts';
import { createWorkspace } from '../src/workspaces/administer.ts';
import { bootGateway, fakeOwner, type Gateway } from './harness.ts';
import { createKey } from './people.ts';

// One request at a time, which counts until it leaves or has been answered: a request that should have left would block the next one.

const HOUR_MS = 3_600_000;
const turns = createTurns(() => 1, HOUR_MS);
let gateway: Gateway;
let owner: Awaited<ReturnType<typeof fakeOwner>>;
type Headers = Record<string, string>;
let key: Headers;
/** Ends the delays of refusals that are delayed. */
const delayed: (() => void)[] = [];
const held: ServerResponse[] = [];
const dripping: ClientRequest[] = [];
const sockets: Socket[] = [];
let lines: { requestId?: string; status?: number; ms?: number }[] = [];
const PER_MINUTE = 5;

beforeAll(async () => {
  // Buckets are never refilled: after 20 prompt refusals each one is delayed.
  const nowMs = () => 0;
  const sleep = () => new Promise<void>((resolve) => delayed.push(resolve));
  const limiter = slowRefusals(createLocalLimiter(nowMs), { nowMs, sleep });
  owner = await fakeOwner((req, res) => {
    if (req.url === '/v1/voice?begin') res.write('{');
    if (/[?](hang|begin)$/.test(req.url ?? '')) held.push(res);
    else res.end('{}');
  });
  gateway = await bootGateway(
    {
      ASSISTANTS_URL: owner.url,
      TELEPHONY_URL: owner.url,
      TRUSTED_PROXIES: '127.0.0.0/8,::1/128',
      OPEN_REQUESTS_PER_MINUTE: String(PER_MINUTE),
      SIGN_INS_PER_ADDRESS_AND_MINUTE: String(PER_MINUTE),
    },
    createLogger({
      service: 'gateway',
      level: 'info',
      destination: { write: (line) => void lines.push(JSON.parse(line)) },
    }),
    { turns, limiter, failures: createFailureLimit(limiter, PER_MINUTE, nowMs) },
  );
  key = { authorization: `Bearer ${gateway.workspace.private_key}` };
});

beforeEach(() => {
  lines = [];
  owner.seen.length = 0;
});

afterEach(async () => {
  for (const res of held.splice(0)) res.end();
  for (const end of delayed.splice(0)) end();
  for (const req of dripping.splice(0)) req.destroy();
  for (const socket of sockets.splice(0)) socket.destroy();
  await eventually(() => expect([turns.waiting(), turns.busiest()]).toEqual([0, 0]));
});

afterAll(async () => {
  await gateway.stop();
  await owner.close();
});

/** Shorter than the ten seconds after which an incomplete body is refused. */
const ANSWERED_WITHIN_MS = 8_000;

const ask = (path: string, headers: Headers = key, method = 'GET') =>
  fetch(gateway.url + path, { method, headers, signal: AbortSignal.timeout(ANSWERED_WITHIN_MS) });

/** Starts a request whose service doesn't respond until `held` is ended: it is the one under way. */
async function occupy(path = '/v1/voice?hang'): Promise<{ response: Promise<Response> }> {
  const response = ask(path);
  await eventually(() => expect(held).toHaveLength(1));
  return { response };
}

const release = (): void => {
  for (const res of held.splice(0)) res.end('}');
};

/** Sends text on a connection of its own, and collects what comes back. */
function sendRaw(text: string) {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  sockets.push(socket);
  let received = '';
  socket.on('error', () => {}).setEncoding('latin1');
  socket.on('data', (part) => {
    received += part;
  });
  const closed = once(socket, 'close');
  socket.write(text);
  return { socket, closed, received: () => received };
}

/** Lets so many requests wait that the next one of their share is refused. */
async function fillShare(headers: Headers): Promise<Socket> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const { socket } = sendRaw(`GET /nope HTTP/1.1\r\nHost: x\r\n${lines.join('')}\r\n`.repeat(500));
  await eventually(() => expect(turns.waiting()).toBe(500));
  return socket;
}

const lineOf = (id: string) => lines.find(({ requestId }) => requestId === id);

describe('while one request is under way [trust.1]', () => {
  it('another waits; its duration includes the wait', async () => {
    const first = await occupy();
    const second = ask('/v1/voice', { ...key, 'x-request-id': 'second' });
    await eventually(() => expect(turns.waiting()).toBe(1));
    await realSleep(300);
    expect(owner.seen.filter(({ url }) => url === '/v1/voice')).toEqual([]);
    release();
    expect([(await first.response).status, (await second).status]).toEqual([200, 200]);
    await eventually(() => expect(lineOf('second')?.ms).toBeGreaterThan(250));
    expect(lines.filter(({ requestId }) => requestId === 'second')).toHaveLength(1);
  });

  it('one whose client disconnects meanwhile is logged and counted, and not forwarded', async () => {
    await occupy();
    const gone = httpRequest(`${gateway.url}/v1/voice?gone`, { headers: { ...key, 'x-request-id': 'gone' } });
    gone.on('error', () => {}).end();
    await eventually(() => expect(turns.waiting()).toBe(1));
    gone.destroy();
    await eventually(() => expect(lineOf('gone')?.status).toBe(499));
    release();
    expect((await ask('/v1/voice')).status).toBe(200);
    expect(owner.seen.filter(({ url }) => url === '/v1/voice?gone')).toEqual([]);
    expect(await metric('http_request_duration_seconds_count\\{.*status="499"')).toBeGreaterThanOrEqual(1);
  });

  it('500 of a share wait; further ones are 429 and close their connections, except behind others of the same one', async () => {
    await occupy();
    const one = `GET /nope HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 198.51.100.1\r\n`;
    const { closed, received } = sendRaw(`${`${one}\r\n`.repeat(501)}${one}Connection: close\r\n\r\n`);
    await eventually(async () => expect(await metric('parley_turns_refused_total')).toBe(2));
    const refused = await ask('/nope', await from('198.51.100.1'));
    expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('connection')]).toEqual([
      429,
      '1',
      'close',
    ]);
    expect(await refused.json()).toMatchObject({ success: false, error: { code: 'RATE_LIMITED' } });
    const other = ask('/nope', await from('198.51.100.2'));
    await eventually(() => expect(turns.waiting()).toBe(501));
    release();
    expect((await other).status).toBe(404);
    await closed;
    const statuses = [...received().matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
    expect(statuses).toEqual([...Array(500).fill('404'), '429', '429']);
    expect(await metric('parley_turns_refused_total')).toBe(3);
  });

  it('those that are pipelined behind one whose client disconnects are logged, and not forwarded', async () => {
    await occupy();
    const ids = ['gone-1', 'gone-2', 'gone-3'];
    const head = `HTTP/1.1\r\nHost: x\r\nAuthorization: ${key.authorization}\r\n`;
    const { socket } = sendRaw(
      ids.map((id) => `GET /v1/voice?${id} ${head}X-Request-Id: ${id}\r\n\r\n`).join(''),
    );
    await eventually(() => expect(turns.waiting()).toBe(3));
    socket.destroy();
    await eventually(() => expect(ids.map((id) => lineOf(id)?.status)).toEqual([499, 499, 499]));
    release();
    expect((await ask('/v1/voice')).status).toBe(200);
    expect(owner.seen.filter(({ url }) => url.includes('gone'))).toEqual([]);
  });

  it('those of a revoked key fill no share of its workspace', async () => {
    const revoked = await inactiveKey('198.51.100.2');
    await occupy();
    const flood = await fillShare(revoked);
    expect((await ask('/nope', revoked)).status).toBe(429);
    const own = ask('/v1/voice');
    await eventually(() => expect(turns.waiting()).toBe(501));
    flood.destroy();
    await eventually(() => expect(lines.filter(({ status }) => status === 499)).toHaveLength(500));
    release();
    expect((await own).status).toBe(200);
  });

  it('a page can read the refusal of its request, which a preflight precedes [web-calls.11]', async () => {
    await occupy();
    const visitor = { ...(await from('198.51.100.3')), origin: 'https://shop.example' };
    const flood = await fillShare(visitor);
    const preflight = await ask(
      '/widget/call',
      { ...visitor, 'access-control-request-method': 'POST' },
      'OPTIONS',
    );
    const refused = await ask('/widget/call', visitor, 'POST');
    expect([preflight.status, refused.status]).toEqual([204, 429]);
    for (const { headers } of [preflight, refused])
      expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization');
    expect(refused.headers.get('access-control-expose-headers')?.toLowerCase()).toContain('retry-after');
    const other = await ask('/v1/voice', visitor);
    expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([429, null]);
    flood.destroy();
  });

  it('one whose body arrives after its refusal is answered, and so is the next one of its connection', async () => {
    await occupy();
    const visitor = await from('198.51.100.4');
    const flood = await fillShare(visitor);
    const head = `HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${visitor['x-forwarded-for']}\r\n`;
    const { socket, closed, received } = sendRaw(`POST /nope ${head}Content-Length: 11\r\n\r\n{`);
    await eventually(() => expect(received()).toMatch(/^HTTP\/1\.1 429 .*RATE_LIMITED/s));
    socket.write(`"a":"bcd"}GET /nope ${head}\r\n`);
    await closed;
    expect(received().match(/HTTP\/1\.1 429 /g)).toHaveLength(2);
    flood.destroy();
  });
});

async function metric(pattern: string): Promise<number> {
  const text = await (await fetch(`${gateway.internalUrl}/metrics`)).text();
  return Number(new RegExp(`^${pattern}.* (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}

describe('a request no longer counts [trust.1]', () => {
  it.each([
    ['to a service', '/v1/assistant', async () => key],
    ['of the gateway itself', '/dashboard/api/session', () => from('192.0.2.1')],
  ])('while its body arrives: %s', async (_, path, headers) => {
    const drip = httpRequest(gateway.url + path, {
      method: 'POST',
      headers: { ...(await headers()), 'content-length': '10' },
    });
    dripping.push(drip);
    drip.on('error', () => {}).write('{');
    await eventually(() => expect(turns.busiest()).toBe(1));
    expect((await ask('/v1/voice')).status).toBe(200);
  });

  it('once its response begins', async () => {
    const begun = await occupy('/v1/voice?begin');
    expect((await ask('/v1/voice')).status).toBe(200);
    release();
    expect(await (await begun.response).text()).toBe('{}');
  });

  const MESSAGES = '/widget/session/messages';

  it.each([
    ['of a workspace', keyOfGreedy, '/v1/voice', 'GET'],
    ['of an inactive key', () => inactiveKey('192.0.2.2'), '/v1/voice', 'GET'],
    ['of an open route', () => from('192.0.2.3'), MESSAGES, 'GET'],
    ['of a sign-in', () => from('192.0.2.4'), '/dashboard/api/session', 'POST'],
  ])('while its refusal is delayed: %s', async (_, headersOf, path, method) => {
    const headers = await headersOf();
    const statuses: number[] = [];
    let isDelayed = false;
    const untilDelayed = async (): Promise<void> => {
      while (!isDelayed) statuses.push((await ask(path, headers, method)).status);
    };
    const sending = untilDelayed();
    await eventually(() => expect(delayed).toHaveLength(1));
    isDelayed = true;
    expect((await ask('/v1/voice')).status).toBe(200);
    delayed.pop()?.();
    await sending;
    expect(statuses.slice(-21)).toEqual(Array(21).fill(429));
  });
});

const from = async (address: string): Promise<Headers> => ({ 'x-forwarded-for': address });

async function keyOfGreedy(): Promise<Headers> {
  const { workspace_id, private_key } = await createWorkspace(gateway.admin, { name: 'Greedy' });
  const limits = { requestsPerMinute: 1, requestBurst: 1 };
  await gateway.context.workspaces.set(workspace_id, limits, { kind: 'operator' });
  return { authorization: `Bearer ${private_key}` };
}

/** Known, so that its requests are not refused by their address alone. */
async function inactiveKey(address: string): Promise<Headers> {
  const { workspace_id: workspaceId } = gateway.workspace;
  const name = randomUUID();
  const created = await createKey(gateway.admin, { workspaceId, type: 'private', name, expiresAt: null });
  await gateway.context.prisma.apiKey.updateMany({ where: { name }, data: { isActive: false } });
  const headers = { authorization: `Bearer ${created.key}`, 'x-forwarded-for': address };
  await eventually(async () => expect((await ask('/v1/voice', headers)).status).toBe(401));
  return headers;
}
