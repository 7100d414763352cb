import { once } from 'node:events';
import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { downloadContacts, getCall, resendCallWebhooks, streamAssistantTest } from '@parley/contracts';
import { createKeyedLimiter } from '@parley/kit/concurrency';
import type { RequestContext } from '@parley/kit/http';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { createMetrics } from '@parley/kit/observability';
import { eventually, internalTokens } from '@parley/testkit';
import { Pool } from 'undici';
import { createConcurrentReads } from '../src/forward/concurrent-reads.ts';
import { forward } from '../src/forward/forward.ts';
import { relay } from '../src/forward/relay.ts';
import { createUpstream, type UpstreamRequest } from '../src/forward/upstream.ts';
import { fakeOwner, INTERNAL_SECRET } from './harness.ts';

const lifecycle = createLifecycle(createLogger({ service: 'gateway', level: 'silent' }), {
  deadlineMs: 5_000,
});
let owner: Awaited<ReturnType<typeof fakeOwner>>;

beforeAll(async () => {
  owner = await fakeOwner(async (_req, res) => {
    await sleep(2_500);
    res.end('late');
  });
});
afterAll(async () => {
  await owner.close();
  await lifecycle.stop('test');
});

const upstreamAt = (url: string) =>
  createUpstream('webhooks', url, { lifecycle, metrics: createMetrics('gateway') });

const requestOf = (kind: { headersTimeoutMs: number; isLong: boolean }): UpstreamRequest => ({
  method: 'POST',
  path: '/',
  headers: {},
  body: null,
  arriving: false,
  from: 'a workspace',
  isAnonymous: false,
  isFile: false,
  to: new ServerResponse(new IncomingMessage(new Socket())),
  ...kind,
});

it('streamed answers occupy the share of their workspace until they end [trust.1]', async () => {
  const begun: ServerResponse[] = [];
  const streaming = await fakeOwner((_req, res) => {
    begun.push(res);
    res.write('a line');
  });
  const upstream = upstreamAt(streaming.url);
  const ask = () => upstream.request(requestOf({ headersTimeoutMs: 25_000, isLong: true }));
  const answers = await Promise.all(Array.from({ length: 32 }, ask));
  await expect(ask()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  begun[0]?.end();
  await Promise.race(answers.map(({ finished }) => finished));
  answers.push(await ask());
  for (const res of begun) res.end();
  await Promise.all(answers.map(({ finished }) => finished));
  await streaming.close();
});

describe('a slow service', () => {
  const ask = (headersTimeoutMs: number) =>
    upstreamAt(owner.url).request(requestOf({ headersTimeoutMs, isLong: false }));

  it('may take the time that its endpoint defines, then 503 SERVICE_UNAVAILABLE', async () => {
    const [impatient, patient] = await Promise.allSettled([ask(500), ask(25_000)]);
    expect(impatient).toMatchObject({ status: 'rejected', reason: { code: 'SERVICE_UNAVAILABLE' } });
    expect(patient).toMatchObject({ status: 'fulfilled', value: { statusCode: 200 } });
    if (patient.status === 'fulfilled') await patient.value.finished;
  });

  it.each([
    [resendCallWebhooks, 75_000, false],
    [streamAssistantTest, 75_000, false],
    [getCall, undefined, false],
    [downloadContacts, undefined, true],
  ] as const)('$id', async (endpoint, headersTimeoutMs, isFile) => {
    let asked: UpstreamRequest | undefined;
    const upstream = {
      request: async (request: UpstreamRequest) => {
        asked = request;
        request.to.end('{}');
        return { statusCode: 200, finished: Promise.resolve() };
      },
    };
    const door = createServer((req, res) => {
      const context = { requestId: 'r' } as RequestContext;
      const tokens = internalTokens(INTERNAL_SECRET, 'gateway');
      const visitorBodies = createKeyedLimiter({ concurrency: 1 });
      const concurrentReads = createConcurrentReads();
      const deps = {
        upstream,
        internalTokens: tokens,
        concurrentReads,
        visitorBodies,
        turns: { leave: () => {} },
      };
      void forward(deps, endpoint, { req, res, segments: [], context, auth: null });
    });
    await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
    await fetch(`http://127.0.0.1:${(door.address() as AddressInfo).port}`);
    door.closeAllConnections();
    await new Promise((resolve) => door.close(resolve));
    expect(asked).toMatchObject({ headersTimeoutMs, isFile });
  });
});

describe('a client that stops reading its response', () => {
  const PACE = { periodMs: 300, minBytes: 256 * 1024 };
  const ANSWER = Buffer.alloc(32 * 1024 * 1024, 'x');
  let server: Server;
  let door: Server;
  let pool: Pool;

  async function serve(listener: RequestListener): Promise<Server> {
    const listening = createServer(listener);
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    return listening;
  }

  const portOf = (of: Server): number => (of.address() as AddressInfo).port;

  beforeAll(async () => {
    server = await serve((_req, res) => res.end(ANSWER));
    pool = new Pool(`http://127.0.0.1:${portOf(server)}`, { connections: 1 });
    door = await serve((_req, res) => void relay(pool, { method: 'GET', path: '/' }, res, PACE));
  });

  afterAll(async () => {
    await pool.destroy();
    for (const one of [door, server]) {
      one.closeAllConnections();
      await new Promise((resolve) => one.close(resolve));
    }
  });

  function ask(of = door): Socket {
    const socket = connect(portOf(of), '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    return socket;
  }

  /** Stands still until it is moved: how fast this machine is does not count. */
  function handTime() {
    let nowMs = 0;
    const timers = new Set<{ dueMs: number; fn: () => void }>();
    return {
      monotonicMs: () => nowMs,
      realTimer: (ms: number, fn: () => void) => {
        const timer = { dueMs: nowMs + ms, fn };
        timers.add(timer);
        return () => void timers.delete(timer);
      },
      pass: (ms: number) => {
        nowMs += ms;
        for (const timer of [...timers]) if (timer.dueMs <= nowMs && timers.delete(timer)) timer.fn();
      },
    };
  }

  it('or reads only a little of it is disconnected, and one that reads enough is not', async () => {
    const time = handTime();
    const ofTest = await serve(
      (_req, res) => void relay(pool, { method: 'GET', path: '/' }, res, PACE, time),
    );
    const readEvery = async (ms: number): Promise<number> => {
      const socket = ask(ofTest).pause();
      socket.on('error', () => {});
      socket.once('end', () => socket.destroy());
      let bytes = 0;
      while (!socket.closed) {
        const read: Buffer | null = socket.read(64 * 1024) ?? socket.read();
        bytes += read?.length ?? 0;
        if (read) time.pass(ms);
        // The relay sends more before the client reads on.
        await nextTurn();
      }
      return bytes;
    };
    expect(await readEvery(250)).toBeLessThan(ANSWER.length);
    expect(await readEvery(4)).toBeGreaterThan(ANSWER.length);
    await new Promise((resolve) => ofTest.close(resolve));
  });

  it('because an earlier one of its connection is not complete is disconnected', async () => {
    const ownPool = new Pool(`http://127.0.0.1:${portOf(server)}`);
    const ofTest = await serve((req, res) => {
      if (req.url === '/first') res.write('x');
      else void relay(ownPool, { method: 'GET', path: '/' }, res, PACE).catch(() => {});
    });
    const socket = connect(portOf(ofTest), '127.0.0.1').resume();
    socket.on('error', () => {});
    socket.write('GET /first HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'close');
    await ownPool.destroy();
    await new Promise((resolve) => ofTest.close(resolve));
  });

  it('and then reads on gets it whole, and what is pipelined behind it', async () => {
    const ownPool = new Pool(`http://127.0.0.1:${portOf(server)}`);
    const responses: ServerResponse[] = [];
    const ofTest = await serve((_req, res) => void responses.push(res));
    const answer = (res: ServerResponse | undefined) =>
      res && relay(ownPool, { method: 'GET', path: '/' }, res, { periodMs: 60_000, minBytes: 0 });
    const socket = connect(portOf(ofTest), '127.0.0.1').pause();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await eventually(() => expect(responses).toHaveLength(2));
    await answer(responses[0]);
    await eventually(() => expect(responses[0]?.writableNeedDrain).toBe(true));
    // Node emits `drain` of the current response when one behind it is written.
    await answer(responses[1]);
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    socket.resume();
    await once(socket, 'close');
    expect(bytes).toBeGreaterThan(2 * ANSWER.length);
    await ownPool.destroy();
    await new Promise((resolve) => ofTest.close(resolve));
  });

  it('gets no more of it into memory by requests that it pipelines behind it [trust.1]', async () => {
    const ownPool = new Pool(`http://127.0.0.1:${portOf(server)}`);
    const responses: ServerResponse[] = [];
    const ofTest = await serve((_req, res) => void responses.push(res));
    const socket = connect(portOf(ofTest), '127.0.0.1').pause();
    socket.on('error', () => {});
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(11));
    await eventually(() => expect(responses).toHaveLength(11));
    const [first, ...behind] = responses;
    await (first && relay(ownPool, { method: 'GET', path: '/' }, first, { periodMs: 60_000, minBytes: 0 }));
    await eventually(() => expect(first?.writableNeedDrain).toBe(true));
    const before = first?.writableLength;
    for (const res of behind) {
      res.end('x');
      await sleep(5);
    }
    expect(first?.writableLength).toBe(before);
    socket.destroy();
    await ownPool.destroy();
    await new Promise((resolve) => ofTest.close(resolve));
  });

  it('does not block the connection to the service for others', async () => {
    const stalled = ask().pause();
    await eventually(() => expect(pool.stats.running).toBe(1));
    let bytes = 0;
    const next = ask().on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await new Promise((resolve) => next.once('close', resolve));
    expect(bytes).toBeGreaterThan(ANSWER.length);
    stalled.destroy();
  });
});
