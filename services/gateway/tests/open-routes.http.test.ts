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
