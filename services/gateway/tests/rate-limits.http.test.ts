import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type FaultProxy, faultProxy, redisUrl } from '@parley/testkit';
import request from 'supertest';
import { bucketOfPerson } from '../src/limits/request-limits.ts';
import { createWorkspace, setWorkspace } from '../src/workspaces/administer.ts';
import { bootGateway, fakeOwner, type Gateway } from './harness.ts';
import { join, type Person } from './people.ts';

let gateway: Gateway;
let redis: FaultProxy;
let owner: Awaited<ReturnType<typeof fakeOwner>>;

beforeAll(async () => {
  owner = await fakeOwner((_req, res) => res.end('{}'));
  redis = await faultProxy(redisUrl());
  gateway = await bootGateway({
    REDIS_URL: redis.url,
    TELEPHONY_URL: owner.url,
    ASSISTANTS_URL: owner.url,
    WEBHOOKS_URL: owner.url,
    CAMPAIGNS_URL: owner.url,
    // Refills one token in half a minute, so that a busy machine can empty it, too.
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

/** A key of a workspace whose bucket refills one token a second, so that a busy machine can empty it, too. */
async function slowlyFilled(name: string): Promise<string> {
  const { private_key, workspace_id } = await createWorkspace(gateway.admin, { name });
  await setWorkspace(gateway.admin, workspace_id, { requestsPerMinute: 60 });
  return private_key;
}

// Before the test that stops Redis: buckets are full again after its restart.
describe('POST /v1/webhook-endpoint/test', () => {
  it('has its own limit, with 429 RATE_LIMITED beyond it', async () => {
    const { private_key } = await createWorkspace(gateway.admin, { name: 'Tests of webhooks' });
    const answers = await ask(private_key, 4, '/v1/webhook-endpoint/test', 'post');
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429]);
    expect(answers[3]?.body.error.code).toBe('RATE_LIMITED');
    expect(Number(answers[3]?.headers['retry-after'])).toBeGreaterThan(1);
    const [other] = await ask(private_key, 1);
    expect(other?.status).toBe(200);
  });
});

describe('rate limits [general.17]', () => {
  it('every response to a valid key has x-ratelimit-limit, -remaining and -reset', async () => {
    const { private_key } = await createWorkspace(gateway.admin, { name: 'Headers' });
    const [answer] = await ask(private_key, 1);
    expect(answer?.headers).toMatchObject({
      'x-ratelimit-limit': '20',
      'x-ratelimit-remaining': '19',
      'x-ratelimit-reset': '1',
      'x-ratelimit-policy': '600;w=60',
    });
  });

  it.each([
    ['404', 'get', '/v1/nothing'],
    ['405', 'put', '/v1/voice'],
    ['405', 'patch', '/healthz'],
  ] as const)('a %s to a valid key has them too: %s %s', async (status, method, path) => {
    const { private_key } = await createWorkspace(gateway.admin, { name: 'Headers' });
    const answer = await request(gateway.url)[method](path).set('authorization', `Bearer ${private_key}`);
    expect(answer.status).toBe(Number(status));
    expect(answer.headers).toMatchObject({ 'x-ratelimit-limit': '20', 'x-ratelimit-remaining': '19' });
  });

  it('a 403 to a public key has them too', async () => {
    const { public_key } = await createWorkspace(gateway.admin, { name: 'Public' });
    const [answer] = await ask(public_key, 1);
    expect([answer?.status, answer?.headers['x-ratelimit-remaining']]).toEqual([403, '19']);
  });

  it('all headers describe the bucket with the fewest tokens', async () => {
    const { private_key } = await createWorkspace(gateway.admin, { name: 'Of one bucket' });
    const [first] = await ask(private_key, 1, '/v2/call', 'post');
    expect(first?.headers).toMatchObject({
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '9',
      'x-ratelimit-reset': '1',
    });
  });

  it('each can be set per workspace', async () => {
    const { private_key, workspace_id } = await createWorkspace(gateway.admin, { name: 'Of its own' });
    const own = { requestsPerMinute: 1, requestBurst: 5, callsPerSecond: 1, callBurst: 2 };
    await setWorkspace(gateway.admin, workspace_id, own);
    const calls = await ask(private_key, 3, '/v2/call', 'post');
    expect(calls.map(({ headers }) => headers['x-ratelimit-limit'])).toEqual(['2', '2', '2']);
    const others = await ask(private_key, 5);
    expect(others.map(({ status }) => status).slice(-2)).toEqual([429, 429]);
    expect(others[0]?.headers['x-ratelimit-limit']).toBe('5');
  });

  it('over the burst: 429 RATE_LIMITED with Retry-After, per workspace [general.18]', async () => {
    const private_key = await slowlyFilled('Busy');
    const answers = await ask(private_key, 40);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(5);
    expect(refused[0]?.body.error.code).toBe('RATE_LIMITED');
    expect(refused[0]?.headers['retry-after']).toBe('1');
    expect(answers.slice(0, 20).every(({ status }) => status === 200)).toBe(true);
    expect((await ask(gateway.workspace.private_key, 1))[0]?.status).toBe(200);
  });

  it('people have a limit of their own: a busy key takes nothing from pages, nor they from it [general.27]', async () => {
    const { private_key, workspace_id } = await createWorkspace(gateway.admin, { name: 'Watched' });
    await setWorkspace(gateway.admin, workspace_id, { requestsPerMinute: 1, requestBurst: 5 });
    const [ada, grace] = [
      await join(gateway, workspace_id, 'admin'),
      await join(gateway, workspace_id, 'admin'),
    ];
    const answers = await ask(private_key, 6);
    expect(answers.at(-1)?.status).toBe(429);
    const page = async ({ ask: send }: Person) => {
      const { status, headers } = await send('GET', '/v1/voice');
      return { status, limit: headers['x-ratelimit-limit'] };
    };
    expect(await page(ada)).toEqual({ status: 200, limit: '200' });
    const { limiter } = gateway.context;
    await limiter.charge([{ ...bucketOfPerson(ada.data.person.id, { burst: 20 }), cost: 400 }]);
    expect((await page(ada)).status).toBe(429);
    expect(await page(grace)).toEqual({ status: 200, limit: '200' });
    // New calls also take from the workspace's bucket.
    await limiter.charge([{ key: `${workspace_id}:calls`, intervalMs: 1_000, burst: 10, cost: 25 }]);
    expect((await grace.ask('POST', '/v2/call', {})).status).toBe(429);
  });

  it('accepts the highest limit that the operator may set', async () => {
    const { private_key, workspace_id } = await createWorkspace(gateway.admin, { name: 'Unbounded' });
    await setWorkspace(gateway.admin, workspace_id, { requestsPerMinute: 999_999_999 });
    const [answer] = await ask(private_key, 1);
    expect(answer?.headers).toMatchObject({
      'x-ratelimit-remaining': '19',
      'x-ratelimit-policy': '999999999;w=60',
    });
  });

  it('POST /v2/call: bursts up to 10 [general.18]', async () => {
    const { private_key } = await createWorkspace(gateway.admin, { name: 'Caller' });
    const answers = await ask(private_key, 18, '/v2/call', 'post');
    expect(answers.slice(0, 10).every(({ status }) => status === 200)).toBe(true);
    expect(answers.some(({ status }) => status === 429)).toBe(true);
  });

  it('POST /v2/call, /v2/call/web and /widget/call share a bucket', async () => {
    const { private_key } = await createWorkspace(gateway.admin, {
      name: 'Caller of three kinds',
    });
    const started = [
      ...(await ask(private_key, 4, '/v2/call', 'post')),
      ...(await ask(private_key, 4, '/v2/call/web', 'post')),
      ...(await ask(private_key, 10, '/widget/call', 'post')),
    ];
    expect(started.slice(0, 10).every(({ status }) => status === 200)).toBe(true);
    expect(started.slice(10).some(({ status }) => status === 429)).toBe(true);
    const [other] = await ask(private_key, 1);
    expect(other?.status).toBe(200);
  });

  it('a body costs another token for each 64 KiB, announced or not [general.24]', async () => {
    const private_key = await slowlyFilled('Heavy');
    const create = (bytes: number, isAnnounced: boolean) => {
      const body = `{"a":"${'x'.repeat(bytes)}"}`;
      return fetch(`${gateway.url}/v1/assistant`, {
        method: 'POST',
        headers: { authorization: `Bearer ${private_key}` },
        ...(isAnnounced ? { body } : { body: new Blob([body]).stream(), duplex: 'half' as const }),
      }).then(({ status, headers }) => [status, Number(headers.get('x-ratelimit-remaining'))]);
    };
    const [, before = 0] = await create(10, true);
    expect(await create(5 * 65_536, true)).toEqual([200, before - 6]);
    expect(await create(5 * 65_536, false)).toEqual([200, before - 7]);
    // A body without an announced length is charged when it is complete.
    await eventually(async () => {
      const [, left = before] = await create(10, true);
      expect(left).toBeLessThan(before - 11);
    });
    expect((await create(900_000, true))[0]).toBe(429);
  });

  it('an upload of any size starts when no earlier one is still charged, and costs one request', async () => {
    const { private_key, workspace_id } = await createWorkspace(gateway.admin, { name: 'Uploads' });
    const key = `${workspace_id}:uploads`;
    const bucket = { key, intervalMs: 60_000 / 256, burst: 1024 };
    const upload = () =>
      fetch(`${gateway.url}/v1/campaigns`, {
        method: 'POST',
        headers: { authorization: `Bearer ${private_key}` },
        body: 'x'.repeat(3 * 1024 ** 2),
      });
    const first = await upload();
    expect([first.status, first.headers.get('x-ratelimit-remaining')]).toEqual([200, '19']);
    const after = await gateway.context.limiter.take([bucket]);
    expect(after.remaining).toBeLessThanOrEqual(1024 - 3 - 2 + 1);
    await gateway.context.limiter.charge([{ ...bucket, cost: 5_000 }]);
    const refused = await upload();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60);
    expect((await ask(private_key, 1))[0]?.status).toBe(200);
  });

  it('falls back to local limits while Redis is unavailable', async () => {
    const private_key = await slowlyFilled('Alone');
    redis.cut();
    try {
      const answers = await ask(private_key, 40);
      expect(answers[0]?.headers['x-ratelimit-remaining']).toBe('19');
      expect(answers.some(({ status }) => status === 429)).toBe(true);
      expect(answers.every(({ status }) => status === 200 || status === 429)).toBe(true);
      const metrics = (await request(gateway.internalUrl).get('/metrics')).text;
      const [, judged] = /^parley_limits_applied_locally_total\{.*\} (\d+)$/m.exec(metrics) ?? [];
      // Requests that are certain to be rejected are not passed to the limiter.
      expect(Number(judged)).toBeGreaterThanOrEqual(20);
    } finally {
      redis.restore();
    }
  });
});
