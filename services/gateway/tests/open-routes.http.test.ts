import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { INTERNAL_TOKEN_HEADER } from '@parley/kit/http';
import request from 'supertest';
import { bootGateway, bootReplica, fakeOwner, type Gateway, type Replica } from './harness.ts';

let gateway: Gateway;
let owner: Awaited<ReturnType<typeof fakeOwner>>;

beforeAll(async () => {
  owner = await fakeOwner((req, res) => {
    if (!req.url?.startsWith('/recordings/')) return res.end('{}');
    res.writeHead(206, { 'content-type': 'audio/wav', 'content-range': 'bytes 0-3/100' });
    return res.end('RIFF');
  });
  gateway = await bootGateway({ TELEPHONY_URL: owner.url });
});
afterAll(async () => {
  await gateway.stop();
  await owner.close();
});

/** Each has buckets of its own. */
async function withReplica(settings: Record<string, string>, act: (replica: Replica) => Promise<void>) {
  const replica = await bootReplica(gateway.database, settings);
  await act(replica).finally(() => replica.stop());
}

describe('a signed link to a recording [calls.12]', () => {
  const open = (headers: Record<string, string> = {}) =>
    request(gateway.url).get('/recordings/a.wav?expires=1&signature=x').set(headers);

  it('needs no key, and is forwarded unchanged', async () => {
    const answer = await open({ range: 'bytes=0-3' });
    expect(answer.status).toBe(206);
    expect(answer.headers).toMatchObject({ 'content-type': 'audio/wav', 'content-range': 'bytes 0-3/100' });
    expect(owner.seen.at(-1)).toMatchObject({
      url: '/recordings/a.wav?expires=1&signature=x',
      headers: { range: 'bytes=0-3' },
    });
  });

  it('is forwarded without any key or internal token, including forged ones', async () => {
    const authorization = `Bearer ${gateway.workspace.private_key}`;
    expect((await open({ authorization, [INTERNAL_TOKEN_HEADER]: 'forged' })).status).toBe(206);
    const { headers } = owner.seen.at(-1) ?? { headers: {} };
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty(INTERNAL_TOKEN_HEADER);
  });

  it('is forwarded with the address of the client, which the client cannot choose [trust.27]', async () => {
    await open({ 'x-parley-address': '203.0.113.9' });
    expect(String(owner.seen.at(-1)?.headers['x-parley-address'])).toMatch(/127\.0\.0\.1|::1/);
  });

  it('does not count against the limits of a workspace', async () => {
    expect((await open()).headers).not.toHaveProperty('x-ratelimit-limit');
  });
});

describe('routes that need no key have limits of their own', () => {
  /** A bucket of five that refills one token in twelve seconds, so that a busy machine can empty it, too. */
  const SMALL = '5';
  const AMPLE = '1000000';

  const limited = (own: Record<string, string>) => ({
    TELEPHONY_URL: owner.url,
    RATE_LIMIT_BURST: '5',
    OPEN_REQUESTS_PER_MINUTE: AMPLE,
    LINK_REQUESTS_PER_MINUTE: AMPLE,
    ...own,
  });

  const SESSION = '/widget/session/messages';
  const statuses = async (times: number, ask: () => request.Test): Promise<number[]> => {
    const seen: number[] = [];
    for (let i = 0; i < times; i += 1) seen.push((await ask()).status);
    return seen;
  };
  const REFUSED = [200, 200, 200, 200, 200, 429];
  const REFUSED_FILES = [206, 206, 206, 206, 206, 429];

  it('by token and by link: 429 RATE_LIMITED with Retry-After, without affecting others', async () => {
    await withReplica(limited({ LINK_REQUESTS_PER_MINUTE: SMALL }), async ({ url }) => {
      const session = (token: string) => request(url).get(SESSION).set('x-access-token', token);
      expect(await statuses(6, () => session('one'))).toEqual(REFUSED);
      const { status, body, headers } = await session('one');
      expect([status, body.error.code]).toEqual([429, 'RATE_LIMITED']);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect((await session('two')).status).toBe(200);
      const recording = (key: string, signature: string) =>
        request(url).get(`/recordings/${key}?expires=1&signature=${signature}`);
      let signed = 0;
      // A recording has one bucket, whatever its signature is.
      expect(await statuses(6, () => recording('a.wav', String(signed++)))).toEqual(REFUSED_FILES);
      expect((await recording('b.wav', '0')).status).toBe(206);
    });
  });

  const offersOf = (url: string, tokens: readonly string[]) =>
    Promise.all(
      tokens.map((token) =>
        request(url)
          .post('/widget/session/offer')
          .set('x-access-token', token)
          .send({ sdp: 'v=0', participant: 'browser-of-a-visitor' }),
      ),
    );
  const refusedOf = (answers: readonly { status: number }[]): number =>
    answers.filter(({ status }) => status === 429).length;

  it('by offer of a call: 20 a minute, without affecting its other requests [web-calls.6]', async () => {
    await withReplica(limited({}), async ({ url }) => {
      const answers = await offersOf(url, Array(30).fill('one'));
      // A slow machine refills a token in three seconds.
      expect(refusedOf(answers)).toBeGreaterThan(5);
      expect(refusedOf(answers)).toBeLessThanOrEqual(10);
      const refused = answers.find(({ status }) => status === 429);
      expect(refused?.body.error.code).toBe('RATE_LIMITED');
      expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
      expect((await request(url).get(SESSION).set('x-access-token', 'one')).status).toBe(200);
      expect(refusedOf(await offersOf(url, ['two']))).toBe(0);
    });
  });

  it('by offer of an address: a tenth of its requests [web-calls.6]', async () => {
    await withReplica(
      limited({ OPEN_REQUESTS_PER_MINUTE: '300', RATE_LIMIT_BURST: '300' }),
      async ({ url }) => {
        const answers = await offersOf(
          url,
          Array.from({ length: 40 }, (_, n) => `call-${n}`),
        );
        expect(refusedOf(answers)).toBeGreaterThan(5);
        expect(refusedOf(answers)).toBeLessThanOrEqual(10);
      },
    );
  });

  it('by address, whatever the token; X-Forwarded-For of a client is ignored', async () => {
    await withReplica(limited({ OPEN_REQUESTS_PER_MINUTE: SMALL }), async ({ url }) => {
      let sent = 0;
      const session = () => {
        sent += 1;
        return request(url)
          .get(SESSION)
          .set({ 'x-access-token': `token-${sent}`, 'x-forwarded-for': `192.0.2.${sent}` });
      };
      expect(await statuses(6, session)).toEqual(REFUSED);
      expect((await request(url).get('/recordings/a.wav')).status).toBe(429);
      const authorization = `Bearer ${gateway.workspace.private_key}`;
      const withKey = await request(url)
        .get('/v2/call/0197a000-0000-7000-8000-000000000000')
        .set({ authorization });
      expect(withKey.status).toBe(200);
    });
  });

  it('by the address that a trusted proxy adds (TRUSTED_PROXIES), not by what the client claims', async () => {
    const own = { OPEN_REQUESTS_PER_MINUTE: SMALL, TRUSTED_PROXIES: '127.0.0.0/8,::1/128' };
    await withReplica(limited(own), async ({ url }) => {
      let claimed = 0;
      const from = (address: string) => {
        claimed += 1;
        return request(url).get(SESSION).set('x-forwarded-for', `198.51.100.${claimed}, ${address}`);
      };
      expect(await statuses(6, () => from('192.0.2.1'))).toEqual(REFUSED);
      expect((await from('192.0.2.2')).status).toBe(200);
    });
  });
});

describe('a body where no key is needed [general.23]', () => {
  it.each(['/dashboard/api/session', '/dashboard/api/invitations/read', '/dashboard/api/invitations/accept'])(
    'of %s counts before it is read, whatever it contains, and is at most 16 KiB',
    async (path) => {
      await withReplica({ SIGN_INS_PER_ADDRESS_AND_MINUTE: '6' }, async ({ url }) => {
        const send = (body: string | object) =>
          request(url).post(path).set('content-type', 'application/json').send(body);
        const answers = [];
        for (const body of [{}, '{', '[1]', { email: 7 }, `{"a":"${'x'.repeat(16 * 1024)}"}`])
          answers.push(await send(body));
        expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422, 413]);
        expect(answers.at(-1)?.body.error.message).toBe('The body must not exceed 16 KiB');
        expect((await send(`{"a":"${'x'.repeat(16_000)}"}`)).status).toBe(422);
        expect((await send({})).status).toBe(429);
      });
    },
  );
});

describe('the browser widget, on pages of other origins [web-calls.11]', () => {
  const origin = 'https://shop.example';
  const preflight = (path: string, method: string, headers: string) =>
    request(gateway.url).options(path).set({
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': headers,
    });
  const listed = (header = '') => header.toLowerCase().split(/\s*,\s*/);
  const EXPOSED = new Set([
    ...['x-request-id', 'retry-after', 'idempotent-replayed'],
    ...['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-ratelimit-policy'],
  ]);

  it.each([
    ['/widget/call', 'POST', ['authorization', 'content-type', 'idempotency-key']],
    ['/widget/session/join', 'POST', ['x-access-token']],
    ['/widget/session/messages', 'POST', ['x-access-token', 'content-type']],
    ['/widget/session/messages', 'GET', ['x-access-token']],
    ['/widget/session/leave', 'POST', ['x-access-token']],
  ])(
    'a preflight of %s (%s) is allowed without a key, and does not reach the service',
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

  it('may read all responses and their rate limit headers', async () => {
    const call = (authorization: string) =>
      request(gateway.url).post('/widget/call').set({ origin, authorization }).send({});
    const answered = await call(`Bearer ${gateway.workspace.public_key}`);
    const refused = await call('Bearer nonsense');
    const missing = await request(gateway.url).get('/widget/nothing').set({ origin });
    expect([answered.status, refused.status, missing.status]).toEqual([200, 401, 404]);
    for (const { headers } of [answered, refused, missing]) {
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(new Set(listed(headers['access-control-expose-headers']))).toEqual(EXPOSED);
    }
  });

  it.each([['/widget/call'], ['/v2/call']])(
    'may read why a request with too large headers was refused, whose path (%s) is not known [general.9]',
    async (path) => {
      const { status, headers, body } = await request(gateway.url)
        .post(path)
        .set({ origin, 'x-large': 'x'.repeat(17_000) });
      expect([status, body.error.code]).toEqual([431, 'HEADERS_TOO_LARGE']);
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers['access-control-expose-headers']).toBe('x-request-id');
    },
  );

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
