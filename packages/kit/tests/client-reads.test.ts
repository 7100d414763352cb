import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { defineEndpoint } from '@parley/contracts';
import request from 'supertest';
import { z } from 'zod';
import { createPrismaAdapter, type PrismaAdapter } from '../src/db/index.ts';
import { type App, mount, readLimitsOf } from '../src/http/index.ts';
import { newId } from '../src/ids/index.ts';
import { createLogger } from '../src/log/index.ts';
import { createMetrics, type Metrics } from '../src/observability/index.ts';
import { as, bootApp, listThings } from './http-harness.ts';

const databaseUrl = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test';
/** Four connections for reads, and two of these for each workspace. */
const LIMITS = { DATABASE_POOL: 8, READ_TIMEOUT_MS: 800 };

const sleepBody = z.object({
  seconds: z.number(),
  search: z.string().optional(),
  agent_ids: z.array(z.string()).optional(),
  page: z.int().optional(),
});
const listSlowly = defineEndpoint({
  ...listThings,
  id: 'listSlowly',
  path: '/v1/slow/list',
  body: sleepBody,
});
const changeSlowly = defineEndpoint({
  ...listThings,
  id: 'changeSlowly',
  path: '/v1/slow',
  readsOnly: false,
  body: sleepBody,
});
const streamSlowly = defineEndpoint({
  ...listThings,
  id: 'streamSlowly',
  path: '/v1/slow/stream',
  body: sleepBody,
});

const log = createLogger({ service: 'test', level: 'silent' });
let driver: Awaited<ReturnType<PrismaAdapter['connect']>>;
let app: App;
let metrics: Metrics;
let running = 0;
let mostRunning = 0;

beforeAll(async () => {
  driver = await createPrismaAdapter({
    databaseUrl,
    pool: LIMITS.DATABASE_POOL,
    readTimeoutMs: LIMITS.READ_TIMEOUT_MS,
    applicationName: 'kit-client-reads',
    log,
  }).connect();
});
afterAll(() => driver.dispose());

beforeEach(() => {
  mostRunning = 0;
  metrics = createMetrics('test');
  ({ app } = bootApp({ metrics, reads: readLimitsOf(LIMITS) }));
  const sleep = async ({ seconds }: { seconds: number }): Promise<void> => {
    running += 1;
    mostRunning = Math.max(mostRunning, running);
    try {
      await driver.queryRaw({ sql: `SELECT pg_sleep(${seconds})::text`, args: [], argTypes: [] });
    } finally {
      running -= 1;
    }
  };
  const answer = async (body: { seconds: number }) => {
    await sleep(body);
    return { items: [], total: 0, nextCursor: null };
  };
  mount(app, listSlowly, ({ body }) => answer(body));
  mount(app, changeSlowly, ({ body }) => answer(body));
  mount(app, streamSlowly, ({ body }) => {
    const items = async function* () {
      for (const id of ['a', 'b', 'c']) {
        await sleep(body);
        // A piece of its own.
        yield { id, name: 'x'.repeat(70_000) };
      }
    };
    return { items: items(), total: 3, nextCursor: null };
  });
});

const ask = (path: string, workspace: string, seconds: number, kind: 'key' | 'service' = 'key') =>
  request(app.express)
    .post(path)
    .set(as(kind, workspace))
    .send({ seconds })
    .then((answer) => answer);
const list = (workspace: string, seconds: number) => ask('/v1/slow/list', workspace, seconds);
const refusals = async (): Promise<string[]> =>
  (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith('parley_client_reads_'));

describe('reads of clients', () => {
  it('are cancelled when a statement takes too long: 503 with Retry-After, and advice to narrow it', async () => {
    for (const path of ['/v1/slow/list', '/v1/slow/stream']) {
      const answer = await ask(path, newId(), 10);
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
      expect(answer.body.error).toEqual({
        code: 'SERVICE_UNAVAILABLE',
        message:
          'The read took longer than 0.8 seconds and was cancelled: narrow it by seconds, search, agent_ids',
      });
    }
    expect(await refusals()).toEqual([
      'parley_client_reads_refused_total{reason="timeout",service="test"} 2',
    ]);
  });

  it('except reads of other services, and changes', async () => {
    expect((await ask('/v1/slow', newId(), 1)).status).toBe(200);
    mount(app, { ...listSlowly, path: '/internal/slow', access: 'internal' }, async () => {
      await driver.queryRaw({ sql: 'SELECT pg_sleep(1)::text', args: [], argTypes: [] });
      return { items: [], total: 0, nextCursor: null };
    });
    expect((await ask('/internal/slow', newId(), 2, 'service')).status).toBe(200);
  });

  it('of one workspace use at most a third of the connections; more are queued, while other workspaces are served', async () => {
    const greedy = newId();
    const many = Array.from({ length: 4 }, () => list(greedy, 0.15));
    await new Promise((resolve) => setTimeout(resolve, 100));
    const startedAt = performance.now();
    expect((await list(newId(), 0)).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(200);
    expect((await Promise.all(many)).map(({ status }) => status)).toEqual(Array(4).fill(200));
    expect(mostRunning).toBeLessThanOrEqual(3);
  });

  it('of public keys have a share of their own [trust.8]', async () => {
    mount(
      app,
      { ...listSlowly, id: 'listOnPage', path: '/v1/slow/page', access: 'widget' },
      async ({ body }) => {
        await driver.queryRaw({ sql: `SELECT pg_sleep(${body.seconds})::text`, args: [], argTypes: [] });
        return { items: [], total: 0, nextCursor: null };
      },
    );
    const workspace = newId();
    const page = (seconds: number) =>
      request(app.express).post('/v1/slow/page').set(as('public_key', workspace)).send({ seconds });
    const finished: string[] = [];
    const many = Array.from({ length: 4 }, () => page(0.4).then(() => finished.push('page')));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await list(workspace, 0)).status).toBe(200);
    finished.push('private');
    await Promise.all(many);
    // Two reads of the page at once: in one share, the private one would be the last.
    expect(finished.indexOf('private')).toBeLessThan(2);
  });

  it('of visitors of web calls are in the share of public keys of the workspace of their token [trust.8]', async () => {
    const { body: _, ...withoutBody } = listSlowly;
    const read = defineEndpoint({
      ...withoutBody,
      id: 'readCall',
      method: 'GET',
      path: '/widget/read',
      access: 'open',
      callToken: true,
    });
    metrics = createMetrics('test');
    ({ app } = bootApp({
      metrics,
      reads: readLimitsOf(LIMITS),
      workspaceOfCallToken: (token) => (token === 'forged' ? undefined : token),
    }));
    mount(app, read, async () => {
      running += 1;
      mostRunning = Math.max(mostRunning, running);
      await driver.queryRaw({ sql: 'SELECT pg_sleep(0.1)::text', args: [], argTypes: [] });
      running -= 1;
      return { items: [], total: 0, nextCursor: null };
    });
    const get = (token: string) =>
      request(app.express)
        .get('/widget/read')
        .set('x-access-token', token)
        .then(({ status }) => status);
    const workspace = newId();
    expect(await Promise.all(Array.from({ length: 5 }, () => get(workspace)))).toEqual(Array(5).fill(200));
    expect(mostRunning).toBe(2);
    expect(await get('forged')).toBe(200);
  });

  it('that are queued too long are 429 with Retry-After', async () => {
    const greedy = newId();
    const answers = await Promise.all(Array.from({ length: 6 }, () => list(greedy, 0.5)));
    // Two at once, and the last two of them would wait for a second.
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers['retry-after']).toBe('5');
    expect((await refusals()).join()).toContain('reason="share"');
  });

  it('use none of the connections of changes, however many they are', async () => {
    const reads = Array.from({ length: 12 }, (_, i) => list(newId(), i < 4 ? 0.7 : 0));
    await new Promise((resolve) => setTimeout(resolve, 100));
    const startedAt = performance.now();
    expect((await ask('/v1/slow', newId(), 0)).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(500);
    await Promise.all(reads);
  });

  it('that are slow pause as long as they took while others of their workspace are queued', async () => {
    const secondsFor = async (count: number): Promise<number> => {
      const workspace = newId();
      const startedAt = performance.now();
      await Promise.all(Array.from({ length: count }, () => list(workspace, 0.15)));
      return (performance.now() - startedAt) / 1_000;
    };
    // Two at once, a rest of 0.15 s, and the other two.
    expect(await secondsFor(4)).toBeGreaterThan(0.44);
  });

  it('of large responses pause between their pieces while others of their workspace are queued', async () => {
    const secondsFor = async (count: number): Promise<number> => {
      const workspace = newId();
      const startedAt = performance.now();
      await Promise.all(Array.from({ length: count }, () => ask('/v1/slow/stream', workspace, 0.1)));
      return (performance.now() - startedAt) / 1_000;
    };
    // Four times three pieces of 0.1 s, two at once; nearly all of them are waited for, and followed by a rest of 0.25 s.
    expect(await secondsFor(4)).toBeGreaterThan(1.5);
  });

  it('hold no slot between two pieces of a streamed response', async () => {
    const workspace = newId();
    const streams = Array.from({ length: 4 }, () => ask('/v1/slow/stream', workspace, 0.1));
    const answers = await Promise.all(streams);
    expect(answers.map(({ body }) => body.data.length)).toEqual([3, 3, 3, 3]);
    expect(mostRunning).toBeLessThanOrEqual(2);
  });
});
