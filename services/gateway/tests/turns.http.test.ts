import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
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
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    const closed = once(socket, 'close');
    socket.write(`${`${one}\r\n`.repeat(501)}${one}Connection: close\r\n\r\n`);
    let received = '';
    socket.setEncoding('latin1').on('data', (text) => {
      received += text;
    });
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
    const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
    expect(statuses).toEqual([...Array(500).fill('404'), '429', '429']);
    expect(await metric('parley_turns_refused_total')).toBe(3);
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
    ['of an inactive key', inactiveKey, '/v1/voice', 'GET'],
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
async function inactiveKey(): Promise<Headers> {
  const { workspace_id: workspaceId } = gateway.workspace;
  const name = randomUUID();
  const created = await createKey(gateway.admin, { workspaceId, type: 'private', name, expiresAt: null });
  await gateway.context.prisma.apiKey.updateMany({ where: { name }, data: { isActive: false } });
  const headers = { authorization: `Bearer ${created.key}`, 'x-forwarded-for': '192.0.2.2' };
  await eventually(async () => expect((await ask('/v1/voice', headers)).status).toBe(401));
  return headers;
}
