import { beforeAll, describe, expect, it } from '@jest/globals';
import { type AnyEndpoint, defineEndpoint } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import { type App, contextOf, createApp } from '@parley/kit/http';
import { createLogger } from '@parley/kit/log';
import { createMetrics } from '@parley/kit/observability';
import { eventually, internalTokens } from '@parley/testkit';
import request from 'supertest';
import { z } from 'zod';
import { type FastRoute, withFastPath } from '../src/forward/fast-path.ts';

const ID = '0190b1b0-0000-7000-8000-000000000001';

const route = {
  service: 'telephony',
  tag: 'Things',
  summary: 'A thing',
  errors: [],
  method: 'GET',
  access: 'private',
  status: 200,
  envelope: 'bare',
  response: z.unknown(),
} as const;
const getThing = defineEndpoint({ ...route, id: 'getThing', path: '/v1/thing/:id' });
const broken = defineEndpoint({ ...route, id: 'broken', path: '/v1/broken' });
const legacyThings = defineEndpoint({ ...route, id: 'legacyThings', path: '/things', legacy: true });

type LogLine = Record<string, unknown> & { msg: string; level: string };

let app: App;
const lines: LogLine[] = [];

/** Accepts requests with a key and responds with the handler that served them. */
function fastRoute(endpoint: AnyEndpoint, fails?: () => Error): FastRoute {
  app.route(endpoint, async (_req, res) => void res.send('express'));
  return {
    endpoint,
    takes: ({ headers }) => headers.authorization !== undefined,
    run: async (req, res, segments) => {
      if (fails) throw fails();
      res.end(`fast ${segments} ${contextOf(req).requestId}`);
    },
  };
}

const ask = (path: string) => request(app.listener).get(path).set('x-request-id', 'mine');
const requestFast = (path: string) => ask(path).set('authorization', 'Bearer x');

beforeAll(() => {
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as LogLine) };
  app = createApp({
    service: 'gateway',
    log: createLogger({ service: 'test', level: 'info', destination }),
    metrics: createMetrics('test'),
    readiness: async () => {},
    internalTokens: internalTokens('a secret that only this test knows', 'gateway'),
    headers: { 'x-frame-options': 'DENY' },
  });
  app = withFastPath(app, [
    fastRoute(getThing),
    fastRoute(legacyThings, () => new AppError('FORBIDDEN', 'Not you')),
    fastRoute(broken, () => new Error('a secret cause')),
  ]);
});

describe('a route with a fast path', () => {
  it('has the usual headers and one line in the log [general.12]', async () => {
    const answer = await requestFast(`/v1/thing/${ID}?search=a`);
    expect([answer.status, answer.text]).toEqual([200, `fast ${ID} mine`]);
    expect(answer.headers).toMatchObject({ 'x-request-id': 'mine', 'x-frame-options': 'DENY' });
    await eventually(() =>
      expect(lines.filter(({ msg }) => msg === 'request finished')).toMatchObject([
        { route: '/v1/thing/:id', status: 200, requestId: 'mine', thingId: ID },
      ]),
    );
  });

  it('leaves other requests to Express', async () => {
    expect((await ask(`/v1/thing/${ID}`)).text).toBe('express');
    expect((await ask('/healthz')).status).toBe(200);
    expect((await requestFast('/v1/nothing')).status).toBe(404);
    const wrong = await request(app.listener).put(`/v1/thing/${ID}`).set('authorization', 'Bearer x');
    expect([wrong.status, wrong.headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  it('returns errors like every route: per contract, bare statuses on legacy routes, without the cause', async () => {
    const refused = await requestFast('/things');
    expect([refused.status, refused.text]).toEqual([403, '']);
    const failed = await requestFast('/v1/broken');
    expect([failed.status, failed.body.error.code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(failed.text).not.toContain('secret');
    expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
      { msg: 'request failed', requestId: 'mine', err: { message: 'a secret cause' } },
    ]);
  });
});
