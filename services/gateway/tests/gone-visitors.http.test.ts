import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPhoneCall } from '@parley/contracts';
import { createKeyedLimiter } from '@parley/kit/concurrency';
import type { Auth, RequestContext } from '@parley/kit/http';
import { eventually, type FaultProxy, faultProxy, internalTokens, redisUrl } from '@parley/testkit';
import { createConcurrentReads } from '../src/forward/concurrent-reads.ts';
import { forward } from '../src/forward/forward.ts';
import { bootGateway, fakeOwner, type Gateway, INTERNAL_SECRET } from './harness.ts';

const ID = '0197a000-0000-7000-8000-000000000000';

/** More than a network or a token may have at once, and more than may wait. */
const MANY = 300;
const NETWORK = '203.0.113.9';
const MESSAGES = '/widget/session/messages';

describe('visitors that disconnect while their requests wait [trust.1]', () => {
  let gateway: Gateway;
  let owner: Awaited<ReturnType<typeof fakeOwner>>;
  let redis: FaultProxy;
  const held: (() => void)[] = [];

  beforeAll(async () => {
    owner = await fakeOwner((req, res) => {
      if (req.headers['x-access-token'] === 'slow') held.push(() => res.end('{}'));
      else res.end('{}');
    });
    redis = await faultProxy(redisUrl());
    gateway = await bootGateway({
      REDIS_URL: redis.url,
      TELEPHONY_URL: owner.url,
      TRUSTED_PROXIES: '127.0.0.0/8',
      OPEN_REQUESTS_PER_MINUTE: '1000000',
      LINK_REQUESTS_PER_MINUTE: '1000000',
      RATE_LIMIT_BURST: '1000000',
    });
  });
  afterAll(async () => {
    await gateway.stop();
    await redis.close();
    await owner.close();
  });

  const send = (text: string): Socket => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.on('error', () => {}).resume();
    socket.end(text);
    return socket;
  };

  /** Sends requests and disconnects while they wait for their rate limits, which are in Redis. */
  async function sendAndGo(textOf: (n: number) => string): Promise<void> {
    redis.freeze();
    try {
      const sockets = Array.from({ length: MANY }, (_, n) => send(textOf(n)));
      await Promise.all(sockets.map((socket) => once(socket, 'close')));
    } finally {
      redis.restore();
    }
  }

  const ask = async (token: string, method = 'POST'): Promise<number> => {
    const { status } = await fetch(gateway.url + MESSAGES, {
      method,
      headers: { 'x-forwarded-for': NETWORK, 'x-access-token': token },
      ...(method === 'POST' && { body: '{"content":"Hello"}' }),
      signal: AbortSignal.timeout(30_000),
    });
    return status;
  };

  it('and before they have sent the body that they announced, delay nobody of their network', async () => {
    const before = owner.uploads();
    await sendAndGo(
      (n) =>
        `POST ${MESSAGES} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${NETWORK}\r\nX-Access-Token: ${n}\r\nContent-Length: 100\r\n\r\n{`,
    );
    await eventually(async () => expect(await ask('own')).toBe(200), { timeoutMs: 10_000 });
    expect(owner.uploads()).toBe(before + 1);
  });

  it('take no place among the reads that wait for others with the same token', async () => {
    const slow = Array.from({ length: 4 }, () => ask('slow', 'GET'));
    await eventually(() => expect(held).toHaveLength(4));
    await sendAndGo(
      (n) =>
        `GET ${MESSAGES} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 198.51.100.${n % 250}\r\nX-Access-Token: slow\r\n\r\n`,
    );
    const waiting = ask('slow', 'GET');
    // Limits are checked in the order of the requests: that of `waiting` has been, too.
    expect(await ask('own')).toBe(200);
    for (const answer of held.splice(0)) answer();
    await eventually(() => expect(held).toHaveLength(1));
    held[0]?.();
    expect(await Promise.all([...slow, waiting])).toEqual([200, 200, 200, 200, 200]);
  });
});

it('a request whose client has gone while it waited is not sent to its service', async () => {
  let forwarded: Promise<void> | undefined;
  const asked: string[] = [];
  const upstream = {
    request: async ({ path }: { path: string }) => {
      asked.push(path);
      return { statusCode: 200, finished: Promise.resolve() };
    },
  };
  const door = createServer(async (req, res) => {
    await once(res, 'close');
    const deps = {
      upstream,
      internalTokens: internalTokens(INTERNAL_SECRET, 'gateway'),
      concurrentReads: createConcurrentReads(),
      visitorBodies: createKeyedLimiter({ concurrency: 1 }),
      turns: { leave: () => {} },
    };
    const auth: Auth = { workspaceId: ID, actor: { kind: 'key', id: ID } };
    const context = { requestId: 'r' } as RequestContext;
    forwarded = forward(deps, createPhoneCall, { req, res, segments: [], context, auth });
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  const socket = connect((door.address() as AddressInfo).port, '127.0.0.1');
  socket.end('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}').resume();
  await eventually(() => expect(forwarded).toBeDefined());
  await forwarded;
  expect(asked).toEqual([]);
  await new Promise((resolve) => door.close(resolve));
});
