import { beforeAll, describe, expect, it } from '@jest/globals';
import { defineEndpoint } from '@parley/contracts';
import request from 'supertest';
import { AppError, notFound } from '../src/errors/index.ts';
import { type App, mount } from '../src/http/index.ts';
import {
  as,
  bootApp,
  createThing,
  deleteThing,
  gatewayTokens,
  getThing,
  ID,
  type LogLine,
  legacyThings,
  listThings,
  WORKSPACE,
} from './http-harness.ts';

const EMPTY = { items: [], total: 0, nextCursor: null };

let app: App;
let lines: LogLine[];
let received: unknown;

beforeAll(() => {
  ({ app, lines } = bootApp());
  mount(app, createThing, ({ body, auth }) => {
    received = body;
    if (body.name === 'broken') return { id: ID, name: 7 } as unknown as { id: string; name: string };
    if (body.name === 'throws') throw new Error('the password is hunter2');
    if (body.name === 'down') throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    if (body.name === 'taken') throw new AppError('CONFLICT', 'Taken');
    return { id: auth.workspaceId, name: body.name, secret: 'not of the contract' };
  });
  mount(app, getThing, ({ params, query }) => ({ ...params, ...query }));
  mount(app, listThings, () => ({ items: [{ id: ID, name: 'a' }], total: 3, nextCursor: '2' }));
  mount(app, deleteThing, () => {});
  mount(app, legacyThings, () => {
    throw notFound('Thing');
  });
});

const post = (body: string | object, path = '/v1/thing') =>
  request(app.express).post(path).set(as('key')).set('content-type', 'application/json').send(body);
const get = (path: string) => request(app.express).get(path).set(as('key'));

describe('envelopes', () => {
  it('wraps data and omits fields outside of the contract [general.6]', async () => {
    const answer = await post({ name: 'n' });
    expect(answer.status).toBe(201);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.body).toEqual({ success: true, data: { id: WORKSPACE, name: 'n' } });
  });

  it('wraps lists with their pagination [general.6]', async () => {
    const answer = await post({}, '/v1/thing/list');
    expect(answer.body).toEqual({
      success: true,
      data: [{ id: ID, name: 'a' }],
      pagination: { total: 3, count: 1, next_cursor: '2' },
    });
  });

  it('answers 204 without a body', async () => {
    const answer = await request(app.express).delete(`/v1/thing/${ID}`).set(as('key'));
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers).not.toHaveProperty('content-length');
  });

  it('never sends a response that violates the contract', async () => {
    const answer = await post({ name: 'broken' }).set('x-request-id', 'broken-1');
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({
      success: false,
      error: { code: 'INTERNAL_ERROR', message: expect.any(String) },
    });
    const logged = lines.find((line) => line.requestId === 'broken-1' && line.level === 'error');
    expect(JSON.stringify(logged)).toContain('expected string');
  });

  it('answers HEAD like GET, without a body', async () => {
    const answer = await request(app.express).head(`/v1/thing/${ID}`).set(as('key'));
    expect([answer.status, answer.text]).toEqual([200, undefined]);
  });
});

describe('errors', () => {
  it('answers the code of an AppError [general.7] [general.9]', async () => {
    const answer = await post({ name: 'taken' });
    expect([answer.status, answer.body.error.code]).toEqual([409, 'CONFLICT']);
  });

  it('hides the details of an unexpected error', async () => {
    const answer = await post({ name: 'throws' });
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('hunter2');
  });

  it('returns 503 with Retry-After during an outage of a dependency', async () => {
    const answer = await post({ name: 'down' });
    expect([answer.status, answer.body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('answers an unknown path with 404, a wrong method with 405 and Allow', async () => {
    const unknown = await get('/v1/nothing');
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'NOT_FOUND']);
    const wrong = await request(app.express).put(`/v1/thing/${ID}`);
    expect([wrong.status, wrong.body.error.code]).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect(wrong.headers.allow).toBe('GET, HEAD, DELETE');
    const fixed = await get('/v1/thing/list');
    expect([fixed.status, fixed.headers.allow]).toEqual([405, 'POST']);
  });

  it('answers legacy routes with the bare status', async () => {
    const missing = await get('/things');
    expect([missing.status, missing.text]).toEqual([404, '']);
    const stranger = await request(app.express).get('/things');
    expect([stranger.status, stranger.text]).toEqual([401, '']);
    const wrong = await request(app.express).post('/things');
    expect([wrong.status, wrong.text, wrong.headers.allow]).toEqual([405, '', 'GET, HEAD']);
  });
});

describe('principals', () => {
  it.each([
    ['no token', undefined],
    ['a token of another secret', 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.AAAA'],
    ['an unsigned token', 'eyJhbGciOiJub25lIn0.e30.'],
    ['nonsense', '...'],
  ])('refuses %s', async (_what, token) => {
    const asked = request(app.express).get(`/v1/thing/${ID}`);
    const answer = await (token === undefined ? asked : asked.set('x-parley-internal', token));
    expect([answer.status, answer.body.error.code]).toEqual([401, 'UNAUTHORIZED']);
  });

  it('refuses actors that may not use an endpoint', async () => {
    const answer = await request(app.express).get(`/v1/thing/${ID}`).set(as('public_key'));
    expect([answer.status, answer.body.error.code]).toEqual([403, 'FORBIDDEN']);
  });

  it('lets viewers only read, even if the gateway forwards their changes [access.5]', async () => {
    const ask = async (method: 'get' | 'post' | 'delete', path: string, role?: 'developer' | 'viewer') => {
      const actor = { kind: 'member' as const, id: ID, ...(role ? { role } : {}) };
      const token = gatewayTokens.mint('telephony', { workspaceId: WORKSPACE, actor });
      const asking = request(app.express)[method](path).set('x-parley-internal', token);
      return (await (method === 'post' ? asking.send({ name: 'n' }) : asking)).status;
    };
    for (const role of ['viewer', undefined] as const) {
      expect(await ask('get', `/v1/thing/${ID}`, role)).toBe(200);
      expect(await ask('post', '/v1/thing/list', role)).toBe(200);
      expect(await ask('post', '/v1/thing', role)).toBe(403);
      expect(await ask('delete', `/v1/thing/${ID}`, role)).toBe(403);
    }
    expect(await ask('post', '/v1/thing', 'developer')).toBe(201);
  });

  it('accepts services at internal endpoints, keys at widget endpoints, and anyone at open ones', async () => {
    const { app: other } = bootApp();
    for (const access of ['internal', 'widget', 'open'] as const) {
      mount(other, defineEndpoint({ ...listThings, id: access, access, path: `/${access}` }), () => EMPTY);
    }
    const statuses = async (access: string) => {
      const ask = (kind?: 'key' | 'public_key' | 'member' | 'service') =>
        request(other.express)
          .post(`/${access}`)
          .set(kind ? as(kind) : {});
      const kinds = [undefined, 'key', 'public_key', 'member', 'service'] as const;
      return Promise.all(kinds.map(async (kind) => (await ask(kind)).status));
    };
    expect(await statuses('internal')).toEqual([401, 403, 403, 403, 200]);
    expect(await statuses('widget')).toEqual([401, 200, 200, 403, 403]);
    expect(await statuses('open')).toEqual([200, 200, 200, 200, 200]);
  });
});

describe('paths and queries', () => {
  it('parses them, ignoring unknown names', async () => {
    const answer = await get(`/v1/thing/${ID}/?size=7&__proto__=x&other=1&search=a%20b`);
    expect(answer.body.data).toEqual({ id: ID, size: 7, search: 'a b' });
  });

  it.each([
    ['/v1/thing/nonsense', 'id'],
    ['/v1/thing/%zz', 'id'],
    ['/v1/thing/%00', 'id'],
    [`/v1/thing/${ID}?size=11`, 'size'],
    [`/v1/thing/${ID}?size=1.5`, 'size'],
    [`/v1/thing/${ID}?search=`, 'search'],
    [`/v1/thing/${ID}?search=a&search=b`, 'search'],
    [`/v1/thing/${ID}?search=%00`, 'search'],
  ])('refuses %s', async (path, field) => {
    const answer = await get(path);
    expect([answer.status, answer.body.error.code]).toEqual([422, 'VALIDATION_FAILED']);
    expect(answer.body.error.details[0].path).toBe(field);
    expect(answer.body.error.message).toContain(field);
  });

  it("answers a malformed id with the endpoint's own code, if it has one [general.15]", async () => {
    const { app: other } = bootApp();
    mount(other, defineEndpoint({ ...deleteThing, badIdCode: 'CAMPAIGN_NOT_FOUND' }), () => {});
    const answer = await request(other.express).delete('/v1/thing/nonsense').set(as('key'));
    expect([answer.status, answer.body.error.code]).toEqual([404, 'CAMPAIGN_NOT_FOUND']);
    expect(answer.body.error.message).toBe('No resource has this id');
  });
});

describe('bodies', () => {
  it.each([
    ['not JSON', '{"name":', ''],
    ['an array', '[]', ''],
    ['null', 'null', ''],
    ['a string', '"x"', ''],
    ['no body where a field is required', '', 'name'],
    ['a wrong type', '{"name":7}', 'name'],
    ['a NUL', '{"name":"a\\u0000"}', 'name'],
    ['a lone surrogate', '{"name":"n","extra":{"a":["\\ud800"]}}', 'extra.a.0'],
    ['a NUL in a key', '{"name":"n","extra":{"a\\u0000":1}}', 'extra'],
  ])('refuses %s', async (_what, body, path) => {
    const answer = await post(body);
    expect([answer.status, answer.body.error?.code]).toEqual([422, 'VALIDATION_FAILED']);
    expect(answer.body.error.details[0].path).toBe(path);
    // The detail says by itself what the message of the whole says.
    expect(answer.body.error.details[0].message).toBe(answer.body.error.message);
    expect(answer.body.error.message).toContain(path);
  });

  it('refuses bytes that are not UTF-8', async () => {
    const answer = await post(Buffer.from('{"name":"\xff"}', 'latin1') as unknown as object);
    expect(answer.status).toBe(422);
  });

  it.each([
    ['a compressed body', { 'content-encoding': 'gzip' }],
    ['another charset', { 'content-type': 'application/json; charset="UTF-16LE"' }],
  ])('answers 415 to %s [general.22]', async (_what, headers) => {
    const answer = await post({ name: 'n' }).set(headers as Record<string, string>);
    expect([answer.status, answer.body.error.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it.each([
    'application/json;charset=utf8',
    'text/plain; charset=US-ASCII',
    'application/x-www-form-urlencoded',
    'nonsense; charset',
    ';;=',
  ])('reads JSON of the content type %p', async (type) => {
    expect((await post('{"name":"n"}').set('content-type', type)).status).toBe(201);
  });

  it('refuses excessive nesting', async () => {
    const depth = 200_000;
    const answer = await post(`{"name":"n","extra":${'['.repeat(depth)}${']'.repeat(depth)}}`);
    expect([answer.status, answer.body.error.details[0].path]).toEqual([422, 'extra.0.0']);
  });

  it('accepts 1 MiB and not a byte more', async () => {
    const frame = JSON.stringify({ name: 'n', extra: '' }).length;
    const fits = JSON.stringify({ name: 'n', extra: 'x'.repeat(1024 * 1024 - frame) });
    expect((await post(fits)).status).toBe(201);
    const answer = await post(fits.replace('xx', 'xxx'));
    const message = 'The body must not exceed 1 MiB';
    expect([answer.status, answer.body.error]).toEqual([413, { code: 'PAYLOAD_TOO_LARGE', message }]);
  });

  it('keeps __proto__, constructor and prototype as data', async () => {
    const extra = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"prototype":2}';
    const answer = await post(`{"name":"n","__proto__":{"polluted":1},"constructor":1,"extra":${extra}}`);
    expect(answer.status).toBe(201);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    const kept = (received as { extra: object }).extra;
    expect(Object.keys(kept)).toEqual(['__proto__', 'constructor', 'prototype']);
    expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
    expect(JSON.stringify(kept)).toBe(extra);
  });
});

describe('request ids and logs', () => {
  it('echoes a valid request id and replaces others', async () => {
    const sane = await get('/v1/nothing').set('x-request-id', 'a.B_c:9-');
    expect(sane.headers['x-request-id']).toBe('a.B_c:9-');
    const insane = await get('/v1/nothing').set('x-request-id', 'a b');
    expect(insane.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('writes one line per request, with the pattern of the route', async () => {
    await get(`/v1/thing/${ID}`).set('x-request-id', 'line-1');
    expect(lines.filter((line) => line.requestId === 'line-1')).toEqual([
      expect.objectContaining({
        msg: 'request finished',
        method: 'GET',
        route: '/v1/thing/:id',
        status: 200,
        ms: expect.any(Number),
        workspaceId: WORKSPACE,
        actorKind: 'key',
      }),
    ]);
  });

  it('reveals nothing about the server in headers', async () => {
    expect((await get('/v1/nothing')).headers).not.toHaveProperty('x-powered-by');
  });
});

describe('probes', () => {
  it('need no token', async () => {
    const { app: other } = bootApp({ readiness: () => Promise.reject(new Error('database away')) });
    expect((await request(other.express).get('/healthz')).status).toBe(200);
    const notReady = await request(other.express).get('/readyz');
    expect([notReady.status, notReady.text]).toEqual([503, '{"status":"unavailable"}']);
    expect((await request(other.express).get('/metrics')).text).toContain('http_request_duration_seconds');
  });

  it('are not counted as requests: an unready replica causes no failures', async () => {
    const { app: other } = bootApp({ readiness: () => Promise.reject(new Error('stopping')) });
    for (const path of ['/healthz', '/readyz', '/metrics', '/v1/nothing'])
      await request(other.express).get(path);
    const counted = (await request(other.express).get('/metrics')).text.match(/^http_request_.*_count.*$/gm);
    expect(counted).toEqual([expect.stringContaining('status="404"')]);
  });

  it('limit readiness to two seconds', async () => {
    const { app: other } = bootApp({ readiness: () => new Promise(() => {}) });
    expect((await request(other.express).get('/readyz')).status).toBe(503);
  });

  it('are unready during a stop, and hidden on public ports', async () => {
    const { app: stopping } = bootApp();
    stopping.markStopping();
    expect((await request(stopping.express).get('/readyz')).status).toBe(503);
    const { app: open } = bootApp({ probes: false });
    expect((await request(open.express).get('/metrics')).status).toBe(404);
  });
});
