import { once } from 'node:events';
import { get } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { INTERNAL_TOKEN_HEADER } from '@parley/kit/http';
import { eventually, internalTokens } from '@parley/testkit';
import request from 'supertest';
import { newKey } from '../src/keys/key-format.ts';
import { bootGateway, bootReplica, fakeOwner, type Gateway, INTERNAL_SECRET } from './harness.ts';
import { createKey } from './people.ts';

let gateway: Gateway;
let owner: Awaited<ReturnType<typeof fakeOwner>>;

beforeAll(async () => {
  owner = await fakeOwner((_req, res, body) => {
    res.writeHead(200, { 'content-type': 'application/json', 'x-owner': 'yes' });
    res.end(JSON.stringify({ success: true, data: { bytes: body.length } }));
  });
  gateway = await bootGateway({
    ASSISTANTS_URL: owner.url,
    TELEPHONY_URL: owner.url,
    RATE_LIMIT_BURST: '600',
  });
});

afterAll(async () => {
  await gateway.stop();
  await owner.close();
});

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

describe('Authentication', () => {
  it('every request carries Authorization: Bearer with a private key, which is forwarded as an internal token', async () => {
    const answer = await request(gateway.url)
      .get('/v1/assistant/0197a000-0000-7000-8000-000000000000?x=1')
      .set(bearer(gateway.workspace.private_key))
      .set(INTERNAL_TOKEN_HEADER, 'forged')
      .set('x-parley-anything', 'forged')
      .set('traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01')
      .set('x-request-id', 'my-id:1');
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ 'x-request-id': 'my-id:1', 'x-owner': 'yes' });
    const seen = owner.seen.at(-1);
    expect(seen?.url).toBe('/v1/assistant/0197a000-0000-7000-8000-000000000000?x=1');
    expect(seen?.headers).not.toHaveProperty('authorization');
    expect(seen?.headers).not.toHaveProperty('x-parley-anything');
    expect(seen?.headers).not.toHaveProperty('traceparent');
    const claims = internalTokens(INTERNAL_SECRET, 'assistants').verify(
      String(seen?.headers[INTERNAL_TOKEN_HEADER]),
    );
    expect(claims).toMatchObject({
      workspaceId: gateway.workspace.workspace_id,
      actor: { kind: 'key' },
    });
    expect(seen?.headers['x-request-id']).toBe('my-id:1');
  });

  const refused = { success: false, error: { code: 'UNAUTHORIZED', message: expect.any(String) } };

  it.each([
    ['malformed', 'Bearer nonsense'],
    ['empty', 'Bearer '],
    ['well formed but unknown', `Bearer ${newKey('private')}`],
  ])('a key that is %s answers 401 with the error envelope', async (_what, authorization) => {
    const answer = await request(gateway.url).post('/v1/assistant/list').set({ authorization }).send({});
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual(refused);
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="parley"');
  });

  it('an expired or revoked key answers 401, the latter within a second [access.2]', async () => {
    const workspaceId = gateway.workspace.workspace_id;
    const soon = new Date(gateway.context.clock.now().getTime() + 1_500);
    const expiring = await createKey(gateway.admin, {
      workspaceId,
      type: 'private',
      name: 'x',
      expiresAt: soon,
    });
    const revoked = await createKey(gateway.admin, {
      workspaceId,
      type: 'private',
      name: 'y',
      expiresAt: null,
    });
    const ask = async (key: string) => (await request(gateway.url).get('/v1/voice').set(bearer(key))).status;
    expect([await ask(expiring.key), await ask(revoked.key)]).toEqual([200, 200]);
    await gateway.context.workspaces.revokeKey(revoked.id, { kind: 'operator' });
    await eventually(async () => expect(await ask(revoked.key)).toBe(401), { timeoutMs: 1_000 });
    await eventually(async () => expect(await ask(expiring.key)).toBe(401), { timeoutMs: 3_000 });
  });

  it('a public key answers 403 FORBIDDEN', async () => {
    const answer = await request(gateway.url).get('/v1/voice').set(bearer(gateway.workspace.public_key));
    expect(answer.status).toBe(403);
    expect(answer.body.error.code).toBe('FORBIDDEN');
  });

  it.each([
    ['POST', '/v1/assistant'],
    ['POST', '/v1/tool/list'],
    ['POST', '/v1/phone-number/sip'],
    ['POST', '/v2/call'],
  ])(
    '%s %s with no Bearer header at all answers 401 with errorMessage instead of error',
    async (method, path) => {
      for (const headers of [{}, { authorization: 'Basic eDp5' }]) {
        const answer = await request(gateway.url)[method === 'POST' ? 'post' : 'get'](path).set(headers);
        expect(answer.status).toBe(401);
        expect(answer.body).toEqual({ success: false, errorMessage: expect.any(String) });
      }
    },
  );

  it.each([['/v1/campaigns'], ['/v1/voice'], ['/v2/call/0197a000-0000-7000-8000-000000000000']])(
    'GET %s with no Bearer header answers the normal envelope',
    async (path) => {
      const answer = await request(gateway.url).get(path);
      expect(answer.status).toBe(401);
      expect(answer.body).toEqual(refused);
    },
  );

  it('legacy routes answer the bare status', async () => {
    const answer = await request(gateway.url).get('/calls');
    expect(answer.status).toBe(401);
    expect(answer.text).toBe('');
  });
});

describe('responses of the gateway itself', () => {
  it('an unknown path is 404 NOT_FOUND, a wrong method 405 with Allow', async () => {
    const unknown = await request(gateway.url).get('/v1/nothing');
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'NOT_FOUND']);
    const wrong = await request(gateway.url).delete('/v1/campaigns');
    expect([wrong.status, wrong.body.error.code]).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect(wrong.headers.allow?.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST']);
  });

  it('a wrong method on a route of the gateway is 405 with Allow too', async () => {
    for (const method of ['patch', 'post', 'delete'] as const) {
      const answer = await request(gateway.url)[method]('/healthz');
      expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
    }
  });

  it('a wrong method on the start page, which only redirects browsers, is 405 with Allow too', async () => {
    for (const method of ['options', 'post'] as const) {
      const { status, headers, body } = await request(gateway.url)[method]('/');
      expect([status, headers.allow, body.error?.code]).toEqual([405, 'GET, HEAD', 'METHOD_NOT_ALLOWED']);
    }
  });

  it('is ready when the newest migration is applied', async () => {
    const ready = async () => (await request(replica.internalUrl).get('/readyz')).status;
    const { prisma } = gateway.context;
    const [newest] = await prisma.$queryRaw<{ migration_name: string }[]>`
      UPDATE _prisma_migrations SET finished_at = NULL
      WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations) RETURNING migration_name`;
    const replica = await bootReplica(gateway.database);
    try {
      expect(await ready()).toBe(503);
      await prisma.$executeRaw`
        UPDATE _prisma_migrations SET finished_at = now() WHERE migration_name = ${newest?.migration_name}`;
      expect(await ready()).toBe(200);
    } finally {
      await replica.stop();
    }
  });

  it('internal routes, readiness and metrics are not public', async () => {
    for (const path of [`/internal/workspaces/${gateway.workspace.workspace_id}`, '/readyz', '/metrics']) {
      expect((await request(gateway.url).get(path)).status).toBe(404);
    }
    expect((await request(gateway.url).get('/healthz')).status).toBe(200);
  });

  it('a service that is down is 503 SERVICE_UNAVAILABLE with Retry-After, within a second', async () => {
    const startedAt = performance.now();
    const answer = await request(gateway.url).get('/v1/campaigns').set(bearer(gateway.workspace.private_key));
    expect([answer.status, answer.body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  it('a body over the limit is 413 PAYLOAD_TOO_LARGE', async () => {
    const answer = await request(gateway.url)
      .post('/v1/assistant')
      .set(bearer(gateway.workspace.private_key))
      .send({ agent_name: 'x'.repeat(1024 ** 2 + 1) });
    const message = 'The body must not exceed 1 MiB';
    expect([answer.status, answer.body.error]).toEqual([413, { code: 'PAYLOAD_TOO_LARGE', message }]);
  });

  it('malformed HTTP is 400 BAD_REQUEST, with the headers of every response', async () => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.write('GARBAGE\r\n\r\n');
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
    expect(head).toContain('x-content-type-options: nosniff');
    expect(head).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/);
    expect(JSON.parse(body)).toMatchObject({ success: false, error: { code: 'BAD_REQUEST' } });
  });

  it('a malformed request id is replaced [general.12]', async () => {
    const answer = await request(gateway.url).get('/healthz').set('x-request-id', 'a b');
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('the API is described at /openapi.json', async () => {
    const answer = await request(gateway.url).get('/openapi.json');
    expect(answer.body.openapi).toBe('3.1.0');
    expect(answer.body.paths).toHaveProperty('/v2/call/{id}');
    expect(JSON.stringify(answer.body)).not.toContain('/internal/');
  });

  it('forwards bodies unchanged', async () => {
    const body = Buffer.from(JSON.stringify({ agent_name: 'é'.repeat(100_000) }));
    const answer = await request(gateway.url)
      .post('/v1/assistant')
      .set(bearer(gateway.workspace.private_key))
      .set('content-type', 'application/json')
      .send(body.toString());
    expect(answer.body.data).toEqual({ bytes: body.length });
    expect(owner.seen.at(-1)?.body.equals(body)).toBe(true);
  });

  it.each(['http', 'HTTP', 'ftp'])(
    'a request line may contain a host (%s), and any number of them does not mark a service as dead',
    async (scheme) => {
      const { hostname, port } = new URL(gateway.url);
      const headers = bearer(gateway.workspace.private_key);
      const path = `${scheme}://elsewhere/v2/call/0197a000-0000-7000-8000-000000000000?a=%20b#c`;
      for (let i = 0; i < 25; i += 1) {
        const [answer] = await once(get({ hostname, port, path, headers }), 'response');
        expect(answer.resume().statusCode).toBe(200);
      }
      expect(owner.seen.at(-1)?.url).toBe('/v2/call/0197a000-0000-7000-8000-000000000000?a=%20b');
    },
  );
});

describe('GET /internal/workspaces/:id', () => {
  it('returns settings and signing secrets to other services only', async () => {
    const path = `/internal/workspaces/${gateway.workspace.workspace_id}`;
    expect((await request(gateway.internalUrl).get(path)).status).toBe(401);
    const token = internalTokens(INTERNAL_SECRET, 'webhooks').mint('gateway', {
      workspaceId: gateway.workspace.workspace_id,
      actor: { kind: 'service', id: 'webhooks' },
    });
    const answer = await request(gateway.internalUrl).get(path).set(INTERNAL_TOKEN_HEADER, token);
    expect(answer.body.data).toEqual({
      workspace_id: gateway.workspace.workspace_id,
      time_zone: 'UTC',
      currency: 'USD',
      rate_cents: 10,
      max_live_calls: 20,
      suspended: false,
      allowed_destinations: [],
      daily_spend_limit_cents: null,
      webhook_secrets: [gateway.workspace.webhook_secret],
    });
  });
});
