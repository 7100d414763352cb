import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, type FaultProxy, faultProxy, freePort, internalTokens } from '@parley/testkit';
import { AppError } from '../src/errors/index.ts';
import { type App, createServiceClient, listen, mount, type ServiceClient } from '../src/http/index.ts';
import { createLifecycle } from '../src/lifecycle/index.ts';
import { createLogger } from '../src/log/index.ts';
import { createMetrics } from '../src/observability/index.ts';
import {
  bootApp,
  createThing,
  deleteThing,
  getThing,
  ID,
  type LogLine,
  listThings,
  SECRET,
  WORKSPACE,
} from './http-harness.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const lifecycle = createLifecycle(log, { deadlineMs: 5_000 });
const context = { workspaceId: WORKSPACE };

let app: App;
let lines: LogLine[];
let link: FaultProxy;
let peer: ServiceClient;
let asked = 0;

const peerAt = (baseUrl: string, timeoutMs = 500) =>
  createServiceClient({
    name: 'telephony',
    caller: 'campaigns',
    baseUrl,
    internalTokens: internalTokens(SECRET, 'campaigns'),
    log,
    timeoutMs,
  });

beforeAll(async () => {
  ({ app, lines } = bootApp());
  mount(app, createThing, ({ body: { name }, auth }) => {
    asked += 1;
    if (name === 'taken') {
      const details = [{ path: 'name', code: 'not_allowed', message: 'is taken' } as const];
      throw new AppError('CONFLICT', 'Taken', { details });
    }
    if (name === 'later') throw new AppError('SERVICE_UNAVAILABLE', 'Not now', { retryAfterSeconds: 7 });
    if (name === 'hangs') return new Promise(() => {});
    return { id: auth.actor.id, name: `${auth.actor.kind} ${auth.workspaceId}` };
  });
  mount(app, getThing, ({ params, query }) => {
    asked += 1;
    return { ...params, ...query };
  });
  mount(app, listThings, () => ({ items: [{ id: ID, name: 'a' }], total: 3, nextCursor: '2' }));
  mount(app, deleteThing, () => {});
  app.router.get('/v1/thing/:id/other', (_req, res) => void res.status(418).send('<html>'));
  const { port } = await listen(app, { host: '127.0.0.1', port: 0 }, lifecycle);
  link = await faultProxy(`http://127.0.0.1:${port}`);
  peer = peerAt(link.url);
});

beforeEach(() => {
  asked = 0;
});

afterAll(async () => {
  peer.close();
  await link.close();
  await lifecycle.stop('end of test');
});

describe('answers', () => {
  it('returns data, lists and nothing, and identifies itself as the service', async () => {
    expect(await peer.call(createThing, { body: { name: 'n' } }, context)).toEqual({
      id: 'campaigns',
      name: `service ${WORKSPACE}`,
    });
    expect(await peer.call(listThings, { body: {} }, context)).toEqual({
      items: [{ id: ID, name: 'a' }],
      total: 3,
      nextCursor: '2',
    });
    expect(await peer.call(deleteThing, { params: { id: ID } }, context)).toBeUndefined();
  });

  it('sends parameters and query, and forwards the request id', async () => {
    const query = { size: 3, search: 'a&b=é' };
    const answer = await peer.call(
      getThing,
      { params: { id: ID }, query },
      { ...context, requestId: 'from-me' },
    );
    expect(answer).toEqual({ id: ID, ...query });
    expect(lines.at(-1)).toMatchObject({ requestId: 'from-me', actorKind: 'service', actorId: 'campaigns' });
  });

  it('rejects responses that violate the contract', async () => {
    const lying = { ...createThing, response: getThing.response };
    await expect(peer.call(lying, { body: { name: 'n' } }, context)).rejects.toThrow(/violates its contract/);
  });
});

describe('errors', () => {
  it('forwards the code and the details of the upstream', async () => {
    await expect(peer.call(createThing, { body: { name: 'taken' } }, context)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'Taken',
      details: [{ path: 'name' }],
    });
    await expect(peer.call(createThing, { body: { name: 'later' } }, context)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      retryAfterSeconds: 7,
    });
  });

  it('maps unknown errors to INTERNAL_ERROR', async () => {
    const other = { ...deleteThing, method: 'GET', path: '/v1/thing/:id/other' } as const;
    await expect(peer.call(other, { params: { id: ID } }, context)).rejects.toMatchObject({
      code: 'INTERNAL_ERROR',
    });
  });

  it('is unavailable when the upstream is too slow', async () => {
    const startedMs = performance.now();
    await expect(peer.call(createThing, { body: { name: 'hangs' } }, context)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      retryAfterSeconds: expect.any(Number),
    });
    expect(performance.now() - startedMs).toBeLessThan(1_000);
  });

  it('retries a GET on a new connection, and never a POST', async () => {
    await peer.call(getThing, { params: { id: ID } }, context);
    link.cut();
    link.restore();
    expect(await peer.call(getThing, { params: { id: ID } }, context)).toMatchObject({ id: ID });
  });
});

describe('the breaker', () => {
  it('opens when the upstream is down, answers at once, and closes again', async () => {
    const alone = peerAt(link.url);
    link.cut();
    const attempt = () => alone.call(createThing, { body: { name: 'n' } }, context);
    for (let i = 0; i < 12; i += 1)
      await expect(attempt()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    link.restore();
    await expect(attempt()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(asked).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(await attempt()).toMatchObject({ id: 'campaigns' });
    alone.close();
  });

  it('reports its state for as long as it is open, even without requests', async () => {
    const metrics = createMetrics('campaigns');
    const baseUrl = `http://127.0.0.1:${await freePort()}`;
    const alone = createServiceClient({
      name: 'telephony',
      caller: 'campaigns',
      baseUrl,
      internalTokens: internalTokens(SECRET, 'campaigns'),
      log,
      metrics,
    });
    const shown = async () => (await metrics.circuitOpen.get()).values.map(({ value }) => value);
    expect(await shown()).toEqual([0]);
    const attempts = Array.from({ length: 12 }, () =>
      alone.call(getThing, { params: { id: ID } }, context).catch(() => {}),
    );
    await Promise.all(attempts);
    expect(await shown()).toEqual([1]);
    await eventually(async () => expect(await shown()).toEqual([0]));
    alone.close();
  });

  it('is not opened by client errors', async () => {
    const alone = peerAt(link.url);
    for (let i = 0; i < 15; i += 1) {
      await expect(alone.call(createThing, { body: { name: 'taken' } }, context)).rejects.toMatchObject({
        code: 'CONFLICT',
      });
    }
    expect(asked).toBe(15);
    alone.close();
  });

  it('is unavailable if nothing listens', async () => {
    const nobody = peerAt(`http://127.0.0.1:${await freePort()}`);
    await expect(nobody.call(getThing, { params: { id: ID } }, context)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    nobody.close();
  });
});
