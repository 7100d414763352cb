import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { bootGateway, fakeOwner, type Gateway } from './harness.ts';

describe('the browser widget, on pages of other origins (D6.2)', () => {
  let gateway: Gateway;
  let owner: Awaited<ReturnType<typeof fakeOwner>>;

  beforeAll(async () => {
    owner = await fakeOwner((_, res) => res.end('{}'));
    gateway = await bootGateway({ TELEPHONY_URL: owner.url });
  });
  afterAll(async () => {
    await gateway.stop();
    await owner.close();
  });

  const origin = 'https://shop.example';
  const preflight = (path: string, method: string, headers: string) =>
    request(gateway.url).options(path).set({
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': headers,
    });
  const listed = (header = '') => header.toLowerCase().split(/\s*,\s*/);

  it.each([
    ['/widget/call', 'POST', ['authorization', 'content-type', 'idempotency-key']],
    ['/widget/session/join', 'POST', ['x-access-token']],
    ['/widget/session/messages', 'POST', ['x-access-token', 'content-type']],
    ['/widget/session/messages', 'GET', ['x-access-token']],
    ['/widget/session/leave', 'POST', ['x-access-token']],
  ])(
    'a preflight of %s (%s) is allowed without a key, and does not reach the owner',
    async (path, method, sent) => {
      const before = owner.seen.length;
      const { status, headers } = await preflight(path, method, sent.join(','));
      expect(status).toBe(204);
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
      expect(listed(headers['access-control-allow-methods'])).toContain(method.toLowerCase());
      expect(listed(headers['access-control-allow-headers'])).toEqual(expect.arrayContaining(sent));
      expect(owner.seen).toHaveLength(before);
    },
  );

  it('may read answers, with what they say of limits, whoever gives them', async () => {
    const call = (authorization: string) =>
      request(gateway.url).post('/widget/call').set({ origin, authorization }).send({});
    const answered = await call(`Bearer ${gateway.workspace.public_key}`);
    const refused = await call('Bearer nonsense');
    const missing = await request(gateway.url).get('/widget/nothing').set({ origin });
    expect([answered.status, refused.status, missing.status]).toEqual([200, 401, 404]);
    for (const { headers } of [answered, refused, missing]) {
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(listed(headers['access-control-expose-headers'])).toEqual(
        expect.arrayContaining([
          'retry-after',
          'x-ratelimit-limit',
          'x-ratelimit-remaining',
          'x-ratelimit-reset',
        ]),
      );
    }
  });

  it.each([['/v2/call/web'], ['/v2/call'], ['/v1/assistant'], ['/calls'], ['/recordings/a.wav']])(
    'never the REST API: %s is closed to pages of other origins',
    async (path) => {
      const { status, headers } = await preflight(path, 'POST', 'authorization');
      expect(status).toBe(405);
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      const authorization = `Bearer ${gateway.workspace.private_key}`;
      const answer = await request(gateway.url).get(path).set({ origin, authorization });
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    },
  );
});
