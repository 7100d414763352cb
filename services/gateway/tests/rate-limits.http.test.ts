import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Cuttable, cuttable, redisUrl } from '@parley/testkit';
import request from 'supertest';
import { createWorkspace, setWorkspace } from '../src/domain/workspaces/administer.ts';
import { bootGateway, fakeOwner, type Gateway } from './harness.ts';

let gateway: Gateway;
let redis: Cuttable;
let owner: Awaited<ReturnType<typeof fakeOwner>>;

beforeAll(async () => {
  owner = await fakeOwner((_req, res) => res.end('{}'));
  redis = await cuttable(redisUrl());
  gateway = await bootGateway({
    REDIS_URL: redis.url,
    TELEPHONY_URL: owner.url,
    ASSISTANTS_URL: owner.url,
    WEBHOOKS_URL: owner.url,
    // One in half a minute: also a machine that is busy empties it.
    WEBHOOK_TESTS_PER_MINUTE: '2',
    RATE_LIMIT_BURST: '20',
    CALL_RATE_LIMIT_PER_SECOND: '1',
  });
});

afterAll(async () => {
  await gateway.stop();
  await redis.close();
  await owner.close();
});

async function ask(key: string, times: number, path = '/v1/voice', method: 'get' | 'post' = 'get') {
  const answers = [];
  for (let i = 0; i < times; i++) {
    answers.push(await request(gateway.url)[method](path).set('authorization', `Bearer ${key}`));
  }
  return answers;
}

/** Of a workspace whose bucket gets one request a second: also a machine that is busy empties it. */
async function slowlyFilled(name: string): Promise<string> {
  const { private_key, workspace_id } = await createWorkspace(gateway.admin, { name });
  await setWorkspace(gateway.admin, workspace_id, { requestsPerMinute: 60 });
  return private_key;
}

// Before the test that takes Redis away: a bucket begins anew when it comes back.
describe('POST /v1/webhook-endpoint/test', () => {
  it('has a limit of its own, 429 RATE_LIMITED beyond it', async () => {
    const { private_key } = await createWorkspace(gateway.admin, { name: 'Tests of webhooks' });
    const answers = await ask(private_key, 4, '/v1/webhook-endpoint/test', 'post');
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429]);
    expect(answers[3]?.body.error.code).toBe('RATE_LIMITED');
    expect(Number(answers[3]?.headers['retry-after'])).toBeGreaterThan(1);
    const [other] = await ask(private_key, 1);
    expect(other?.status).toBe(200);
  });
});

describe('rate limits (D1.6)', () => {
  it('every answer to a good key carries x-ratelimit-limit, -remaining and -reset', async () => {
    const { private_key } = await createWorkspace(gateway.admin, { name: 'Headers' });
    const [answer] = await ask(private_key, 1);
    expect(answer?.headers).toMatchObject({
      'x-ratelimit-limit': '600',
      'x-ratelimit-remaining': '19',
      'x-ratelimit-reset': '1',
    });
  });

  it('over the burst: 429 RATE_LIMITED with Retry-After, per workspace', async () => {
    const private_key = await slowlyFilled('Busy');
    const answers = await ask(private_key, 40);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(5);
    expect(refused[0]?.body.error.code).toBe('RATE_LIMITED');
    expect(refused[0]?.headers['retry-after']).toBe('1');
    expect(answers.slice(0, 20).every(({ status }) => status === 200)).toBe(true);
    expect((await ask(gateway.workspace.private_key, 1))[0]?.status).toBe(200);
  });

  it('a limit as high as the operator may set it', async () => {
    const { private_key, workspace_id } = await createWorkspace(gateway.admin, { name: 'Unbounded' });
    await setWorkspace(gateway.admin, workspace_id, { requestsPerMinute: 999_999_999 });
    const [answer] = await ask(private_key, 1);
    expect(answer?.headers).toMatchObject({
      'x-ratelimit-limit': '999999999',
      'x-ratelimit-remaining': '19',
    });
  });

  it('POST /v2/call: bursts up to 10', async () => {
    const { private_key } = await createWorkspace(gateway.admin, { name: 'Caller' });
    const answers = await ask(private_key, 18, '/v2/call', 'post');
    expect(answers.slice(0, 10).every(({ status }) => status === 200)).toBe(true);
    expect(answers.some(({ status }) => status === 429)).toBe(true);
  });

  it('POST /v2/call, /v2/call/web and /widget/call take from one bucket', async () => {
    const { private_key, public_key } = await createWorkspace(gateway.admin, {
      name: 'Caller of three kinds',
    });
    const started = [
      ...(await ask(private_key, 4, '/v2/call', 'post')),
      ...(await ask(private_key, 4, '/v2/call/web', 'post')),
      ...(await ask(public_key, 10, '/widget/call', 'post')),
    ];
    expect(started.slice(0, 10).every(({ status }) => status === 200)).toBe(true);
    expect(started.slice(10).some(({ status }) => status === 429)).toBe(true);
    const [other] = await ask(private_key, 1);
    expect(other?.status).toBe(200);
  });

  it('falls back to local limits while Redis is away', async () => {
    const private_key = await slowlyFilled('Alone');
    redis.cut();
    try {
      const answers = await ask(private_key, 40);
      expect(answers[0]?.headers['x-ratelimit-remaining']).toBe('19');
      expect(answers.some(({ status }) => status === 429)).toBe(true);
      expect(answers.every(({ status }) => status === 200 || status === 429)).toBe(true);
    } finally {
      redis.restore();
    }
  });
});
