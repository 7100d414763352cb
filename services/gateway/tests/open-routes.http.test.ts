import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { INTERNAL_TOKEN_HEADER } from '@parley/kit/http';
import request from 'supertest';
import { bootGateway, fakeOwner, type Gateway } from './harness.ts';

describe('a link to a recording, which carries its own permission (D6.9)', () => {
  let gateway: Gateway;
  let owner: Awaited<ReturnType<typeof fakeOwner>>;

  beforeAll(async () => {
    owner = await fakeOwner((_, res) => {
      res.writeHead(206, { 'content-type': 'audio/wav', 'content-range': 'bytes 0-3/100' });
      res.end('RIFF');
    });
    gateway = await bootGateway({ TELEPHONY_URL: owner.url });
  });
  afterAll(async () => {
    await gateway.stop();
    await owner.close();
  });

  const open = (headers: Record<string, string> = {}) =>
    request(gateway.url).get('/recordings/a.wav?expires=1&signature=x').set(headers);

  it('needs no key, and reaches its owner as it is', async () => {
    const answer = await open({ range: 'bytes=0-3' });
    expect(answer.status).toBe(206);
    expect(answer.headers).toMatchObject({ 'content-type': 'audio/wav', 'content-range': 'bytes 0-3/100' });
    expect(owner.seen.at(-1)).toMatchObject({
      url: '/recordings/a.wav?expires=1&signature=x',
      headers: { range: 'bytes=0-3' },
    });
  });

  it('is vouched for by nobody: neither a key nor a forged token goes on', async () => {
    const authorization = `Bearer ${gateway.workspace.private_key}`;
    expect((await open({ authorization, [INTERNAL_TOKEN_HEADER]: 'forged' })).status).toBe(206);
    const { headers } = owner.seen.at(-1) ?? { headers: {} };
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty(INTERNAL_TOKEN_HEADER);
  });

  it('takes nothing from the limits of a workspace', async () => {
    expect((await open()).headers).not.toHaveProperty('x-ratelimit-limit');
  });
});

describe('routes that need no key have limits of their own', () => {
  let owner: Awaited<ReturnType<typeof fakeOwner>>;

  beforeAll(async () => {
    owner = await fakeOwner((_, res) => res.end('{}'));
  });
  afterAll(() => owner.close());

  /** A bucket of five that gets one in twelve seconds: also a machine that is busy empties it. */
  const SMALL = '5';
  const AMPLE = '1000000';

  async function withGateway(own: Record<string, string>, act: (gateway: Gateway) => Promise<void>) {
    const gateway = await bootGateway({
      TELEPHONY_URL: owner.url,
      RATE_LIMIT_BURST: '5',
      OPEN_REQUESTS_PER_MINUTE: AMPLE,
      LINK_REQUESTS_PER_MINUTE: AMPLE,
      ...own,
    });
    await act(gateway).finally(() => gateway.stop());
  }

  const SESSION = '/widget/session/messages';
  const statuses = async (times: number, ask: () => request.Test): Promise<number[]> => {
    const seen: number[] = [];
    for (let i = 0; i < times; i += 1) seen.push((await ask()).status);
    return seen;
  };
  const REFUSED = [200, 200, 200, 200, 200, 429];

  it('by token and by link: 429 RATE_LIMITED with Retry-After, and others are none the worse', async () => {
    await withGateway({ LINK_REQUESTS_PER_MINUTE: SMALL }, async ({ url }) => {
      const session = (token: string) => request(url).get(SESSION).set('x-access-token', token);
      expect(await statuses(6, () => session('one'))).toEqual(REFUSED);
      const { status, body, headers } = await session('one');
      expect([status, body.error.code]).toEqual([429, 'RATE_LIMITED']);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect((await session('two')).status).toBe(200);
      const recording = (key: string, signature: string) =>
        request(url).get(`/recordings/${key}?expires=1&signature=${signature}`);
      let signed = 0;
      // However often it is signed, a recording is one.
      expect(await statuses(6, () => recording('a.wav', String(signed++)))).toEqual(REFUSED);
      expect((await recording('b.wav', '0')).status).toBe(200);
    });
  });

  it('by address, whatever token is sent; nobody says another address than it has', async () => {
    await withGateway({ OPEN_REQUESTS_PER_MINUTE: SMALL }, async ({ url, workspace }) => {
      let sent = 0;
      const session = () => {
        sent += 1;
        return request(url)
          .get(SESSION)
          .set({ 'x-access-token': `token-${sent}`, 'x-forwarded-for': `192.0.2.${sent}` });
      };
      expect(await statuses(6, session)).toEqual(REFUSED);
      expect((await request(url).get('/recordings/a.wav')).status).toBe(429);
      const authorization = `Bearer ${workspace.private_key}`;
      const withKey = await request(url)
        .get('/v2/call/0197a000-0000-7000-8000-000000000000')
        .set({ authorization });
      expect(withKey.status).toBe(200);
    });
  });

  it('by the address that a trusted proxy tells (TRUSTED_PROXIES), and not by what it was told itself', async () => {
    const own = { OPEN_REQUESTS_PER_MINUTE: SMALL, TRUSTED_PROXIES: '127.0.0.0/8,::1/128' };
    await withGateway(own, async ({ url }) => {
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
