import { type ClientRequest, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import request from 'supertest';
import { createWorkspace } from '../src/workspaces/administer.ts';
import { bootGateway, bootReplica, fakeOwner, type Gateway } from './harness.ts';

/** More than the gateway's connections for such bodies. */
const MANY = 150;
const SHARE = 32;
/** Bodies of visitors that arrive at once, of a workspace or from a network. */
const OF_VISITORS = 256;
let gateway: Gateway;
let owner: Awaited<ReturnType<typeof fakeOwner>>;
type Headers = Record<string, string>;
let other: Headers;

beforeAll(async () => {
  owner = await fakeOwner((_req, res) => res.end('{}'));
  gateway = await bootGateway({
    ASSISTANTS_URL: owner.url,
    CAMPAIGNS_URL: owner.url,
    TELEPHONY_URL: owner.url,
    OPEN_REQUESTS_PER_MINUTE: '1000000',
    LINK_REQUESTS_PER_MINUTE: '1000000',
    TRUSTED_PROXIES: '127.0.0.0/8,::1/128',
  });
  other = await keyOf('Other');
});

afterAll(async () => {
  await gateway.stop();
  await owner.close();
});

async function keyOf(name: string): Promise<Headers> {
  const { workspace_id, private_key } = await createWorkspace(gateway.admin, { name });
  const limits = { requestsPerMinute: 600_000, requestBurst: 100_000 };
  await gateway.context.workspaces.set(workspace_id, limits, { kind: 'operator' });
  return { authorization: `Bearer ${private_key}` };
}

type Answer = { status: number | undefined; retryAfter: string | undefined };

/** Starts requests with incomplete bodies and collects the responses. */
function drip(
  path: string,
  key: Headers,
  count: number,
): { answers: Answer[]; finish(): void; stop(): void } {
  const answers: Answer[] = [];
  const bodies = Array.from({ length: count }, (): ClientRequest => {
    const headers = { ...key, 'content-length': '10' };
    const body = httpRequest(gateway.url + path, { method: 'POST', headers });
    body
      .on('error', () => {})
      .on('response', ({ statusCode, headers: { 'retry-after': retryAfter } }) => {
        answers.push({ status: statusCode, retryAfter });
      });
    body.write('{');
    return body;
  });
  return {
    answers,
    finish: () => {
      for (const body of bodies) body.end('123456789');
    },
    stop: () => {
      for (const body of bodies) body.destroy();
    },
  };
}

const send = (path: string, headers: Headers, bytes: number) =>
  request(gateway.url)
    .post(path)
    .set(headers)
    .set('content-type', 'application/json')
    .send(`{"name":"${'x'.repeat(bytes)}"}`)
    .timeout(3_000);

describe.each(['/v1/assistant', '/v1/campaigns'])('slow bodies: POST %s', (path) => {
  it('use a share of the connections, beyond it 429 RATE_LIMITED, while another workspace is served', async () => {
    const before = owner.uploads();
    const dripping = drip(path, await keyOf('Slow'), MANY);
    await eventually(() => expect(dripping.answers).toHaveLength(MANY - SHARE), { timeoutMs: 10_000 });
    expect(new Set(dripping.answers.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set([JSON.stringify({ status: 429, retryAfter: '1' })]),
    );
    await eventually(() => expect(owner.uploads()).toBe(before + SHARE));
    // One body that arrives at once, and one that arrives in parts.
    for (const bytes of [10, 500_000]) expect((await send(path, other, bytes)).status).toBe(200);
    dripping.stop();
  }, 20_000);

  it('release their slots when they have arrived, or when their client disconnects', async () => {
    const slow = await keyOf('Slow');
    const fill = async () => {
      const before = owner.uploads();
      const dripping = drip(path, slow, SHARE);
      await eventually(() => expect(owner.uploads()).toBe(before + SHARE));
      expect((await send(path, slow, 500_000)).status).toBe(429);
      return dripping;
    };
    const coming = await fill();
    coming.finish();
    await eventually(() =>
      expect(coming.answers.map(({ status }) => status)).toEqual(Array(SHARE).fill(200)),
    );

    const leaving = await fill();
    leaving.stop();
    await eventually(async () => expect((await send(path, slow, 500_000)).status).toBe(200));
  }, 20_000);
});

it.each(['/v1/assistant', '/v1/campaigns'])(
  'complete bodies are served beside slow ones of the same workspace: POST %s',
  async (path) => {
    const slow = await keyOf('Slow');
    const dripping = drip(path, slow, SHARE + 1);
    await eventually(() => expect(dripping.answers).toHaveLength(1));
    expect((await send(path, slow, 10)).status).toBe(200);
    dripping.stop();
  },
);

it('complete bodies are served while slow ones of several workspaces have all connections', async () => {
  const path = '/v1/assistant';
  const keys = await Promise.all(Array.from({ length: 5 }, (_, n) => keyOf(`Slow ${n}`)));
  const before = owner.uploads();
  const dripping = keys.map((key) => drip(path, key, SHARE));
  const sent = () => expect(owner.uploads()).toBeGreaterThanOrEqual(before + 4 * SHARE);
  await eventually(sent, { timeoutMs: 10_000 });
  expect((await send(path, other, 10)).status).toBe(200);
  for (const { stop } of dripping) stop();
});

it('slow bodies of public keys occupy no connection [trust.8]', async () => {
  const before = owner.uploads();
  const dripping: ReturnType<typeof drip>[] = [];
  for (let n = 0; n < 5; n += 1) {
    const { public_key } = await publicKeyOf(`Page ${n}`);
    dripping.push(drip('/widget/call', { authorization: `Bearer ${public_key}` }, SHARE));
  }
  const { private_key, public_key } = await publicKeyOf('Page');
  const [own, page] = [private_key, public_key].map((key) => ({ authorization: `Bearer ${key}` }));
  if (!own || !page) throw new Error('no keys');
  expect((await send('/v2/call/web', own, 500_000)).status).toBe(200);
  expect((await send('/widget/call', page, 5_000)).status).toBe(200);
  expect(owner.uploads()).toBe(before + 2);
  expect((await send('/widget/call', page, 70_000)).status).toBe(413);
  const [one] = dripping;
  one?.finish();
  await eventually(() => expect(one?.answers.map(({ status }) => status)).toEqual(Array(SHARE).fill(200)));
  for (const { stop } of dripping) stop();
});

const pageOf = async (name: string): Promise<Headers> => ({
  authorization: `Bearer ${(await publicKeyOf(name)).public_key}`,
});
const sessionFrom = async (address: string): Promise<Headers> => ({
  'x-access-token': 'token',
  'x-forwarded-for': address,
});

it.each([
  ['of one workspace', '/widget/call', () => pageOf('Busy'), () => pageOf('Quiet')],
  [
    'from one network',
    '/widget/session/messages',
    () => sessionFrom('192.0.2.1'),
    () => sessionFrom('192.0.2.2'),
  ],
])(
  'slow bodies of visitors %s are 256 at most, beside those of others [trust.1]',
  async (_, path, busyOnes, others) => {
    const [busy, quiet] = [await busyOnes(), await others()];
    const dripping = drip(path, busy, OF_VISITORS + 20);
    await eventually(() => expect(dripping.answers).toHaveLength(20), { timeoutMs: 10_000 });
    expect(new Set(dripping.answers.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set([JSON.stringify({ status: 429, retryAfter: '1' })]),
    );
    expect((await send(path, busy, 10)).status).toBe(429);
    expect((await send(path, quiet, 10)).status).toBe(200);
    dripping.stop();
    await eventually(async () => expect((await send(path, busy, 10)).status).toBe(200));
  },
  20_000,
);

async function publicKeyOf(name: string) {
  const made = await createWorkspace(gateway.admin, { name });
  const limits = { requestsPerMinute: 600_000, requestBurst: 100_000 };
  await gateway.context.workspaces.set(made.workspace_id, limits, { kind: 'operator' });
  await gateway.context.prisma.apiKey.updateMany({
    where: { workspaceId: made.workspace_id, type: 'public' },
    data: { settings: { calls_per_minute: 1_000, calls_per_minute_per_address: 1_000 } },
  });
  return made;
}

describe('reads of one workspace', () => {
  it('run 16 at a time per workspace; further ones wait, and a client that disconnects leaves the queue', async () => {
    const held: (() => void)[] = [];
    const slow = await fakeOwner((req, res) => {
      if (req.headers['x-slow']) held.push(() => res.end('{}'));
      else res.end('{}');
    });
    const on = await bootReplica(gateway.database, { ASSISTANTS_URL: slow.url });
    try {
      const { private_key } = await createWorkspace(on.admin, { name: 'Reader' });
      const ask = (key: string, headers: Headers, signal?: AbortSignal) =>
        fetch(`${on.url}/v1/voice`, {
          headers: { authorization: `Bearer ${key}`, ...headers },
          ...(signal ? { signal } : {}),
        }).then(({ status }) => status);
      const leaving = new AbortController();
      const reads = Array.from({ length: 20 }, () => ask(private_key, { 'x-slow': '1' }));
      const left = ask(private_key, { 'x-slow': '1' }, leaving.signal);
      await eventually(() => expect(held).toHaveLength(16));
      expect(await ask(gateway.workspace.private_key, {})).toBe(200);
      leaving.abort();
      await expect(left).rejects.toThrow();
      expect(held).toHaveLength(16);
      for (const answer of held.splice(0)) answer();
      await eventually(() => expect(held).toHaveLength(4));
      for (const answer of held.splice(0)) answer();
      expect(await Promise.all(reads)).toEqual(Array(20).fill(200));
    } finally {
      await on.stop();
      await slow.close();
    }
  });
});
