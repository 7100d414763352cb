import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import request from 'supertest';
import { AppError } from '../src/errors/index.ts';
import { type App, contextOf } from '../src/http/index.ts';
import { bootApp, getThing, ID, type LogLine, legacyThings } from './http-harness.ts';

let app: App;
let lines: LogLine[];

/** A route that takes requests bare where they carry a key, and says who has answered. */
function addRoute(endpoint: typeof getThing | typeof legacyThings, fails?: () => Error): void {
  app.routes.add(endpoint.method, endpoint.path, {
    endpoint,
    run: async (_req, res) => void res.send('express'),
    bare: {
      takes: ({ headers }) => headers.authorization !== undefined,
      run: async (req, res, segments) => {
        if (fails) throw fails();
        res.end(`bare ${segments} ${contextOf(req).requestId}`);
      },
    },
  });
}

const ask = (path: string) => request(app.listener).get(path).set('x-request-id', 'mine');
const askBare = (path: string) => ask(path).set('authorization', 'Bearer x');

beforeAll(() => {
  ({ app, lines } = bootApp({ headers: { 'x-frame-options': 'DENY' } }));
  addRoute(getThing);
  addRoute(legacyThings, () => new AppError('FORBIDDEN', 'Not you'));
  addRoute({ ...getThing, path: '/v1/broken' as typeof getThing.path }, () => new Error('a secret cause'));
});

describe('a route that takes requests bare', () => {
  it('answers them with what every answer carries, and one line in the log [general.12]', async () => {
    const answer = await askBare(`/v1/thing/${ID}?search=a`);
    expect([answer.status, answer.text]).toEqual([200, `bare ${ID} mine`]);
    expect(answer.headers).toMatchObject({ 'x-request-id': 'mine', 'x-frame-options': 'DENY' });
    await eventually(() =>
      expect(lines.filter(({ msg }) => msg === 'request finished')).toMatchObject([
        { route: '/v1/thing/:id', status: 200, requestId: 'mine', thingId: ID },
      ]),
    );
  });

  it('leaves the others to Express', async () => {
    expect((await ask(`/v1/thing/${ID}`)).text).toBe('express');
    expect((await ask('/healthz')).status).toBe(200);
    expect((await askBare('/v1/nothing')).status).toBe(404);
    const wrong = await request(app.listener).put(`/v1/thing/${ID}`).set('authorization', 'Bearer x');
    expect([wrong.status, wrong.headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  it('answers its errors as every route does: by the contract, the bare status on legacy routes, a hidden cause', async () => {
    const refused = await askBare('/things');
    expect([refused.status, refused.text]).toEqual([403, '']);
    const broken = await askBare('/v1/broken');
    expect([broken.status, broken.body.error.code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(broken.text).not.toContain('secret');
    expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
      { msg: 'request failed', requestId: 'mine', err: { message: 'a secret cause' } },
    ]);
  });
});
