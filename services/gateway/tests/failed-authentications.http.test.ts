import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import request from 'supertest';
import { newKey } from '../src/keys/key-format.ts';
import { bootGateway, fakeOwner, type Gateway } from './harness.ts';
import { createKey, join } from './people.ts';

let gateway: Gateway;
let owner: Awaited<ReturnType<typeof fakeOwner>>;
const PER_MINUTE = 6;

beforeAll(async () => {
  owner = await fakeOwner((_req, res) => res.end('{}'));
  gateway = await bootGateway({
    ASSISTANTS_URL: owner.url,
    TRUSTED_PROXIES: '127.0.0.1/32',
    FAILED_AUTHENTICATIONS_PER_ADDRESS_AND_MINUTE: String(PER_MINUTE),
  });
});

afterAll(async () => {
  await gateway.stop();
  await owner.close();
});

const ask = (from: string, headers: Record<string, string>, path = '/v1/voice') =>
  request(gateway.url)
    .get(path)
    .set({ 'x-forwarded-for': from, ...headers });
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const guess = () => bearer(newKey('private'));
const cookie = () => ({ cookie: `parley_session=${randomBytes(32).toString('base64url')}` });

/** Ends with the first request that is rejected without a lookup: on a busy machine some tokens are refilled meanwhile. */
async function failTooOften(from: string, headers: () => Record<string, string>, path?: string) {
  const statuses: number[] = [];
  for (let i = 0; i < 4 * PER_MINUTE && statuses.at(-1) !== 429; i += 1)
    statuses.push((await ask(from, headers(), path)).status);
  return statuses;
}

describe('invalid keys and sessions', () => {
  it.each([
    ['unknown keys', '192.0.2.1', guess],
    ['malformed keys', '192.0.2.2', () => bearer('svc_nonsense')],
    ['cookies of no session', '192.0.2.3', cookie],
  ])('are limited by their client address: %s', async (_what, from, headers) => {
    const statuses = await failTooOften(from, headers);
    expect(statuses.slice(0, PER_MINUTE)).toEqual(Array(PER_MINUTE).fill(401));
    const refused = await ask(from, headers());
    expect([refused.status, refused.body.error.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await ask('192.0.2.99', headers())).status).toBe(401);
  });

  it('count on unknown paths too', async () => {
    const from = '192.0.2.4';
    for (let i = 0; i <= PER_MINUTE; i += 1) expect((await ask(from, guess(), '/nothing')).status).toBe(404);
    expect((await ask(from, guess())).status).toBe(429);
  });

  it("don't affect known credentials from the same address; new ones are delayed, then accepted", async () => {
    const from = '192.0.2.5';
    const { private_key, workspace_id: workspaceId } = gateway.workspace;
    const person = await join(gateway, workspaceId, 'viewer');
    expect((await ask(from, bearer(private_key))).status).toBe(200);
    const late = await createKey(gateway.admin, { workspaceId, type: 'private', name: 'x', expiresAt: null });
    await failTooOften(from, guess);
    expect((await ask(from, bearer(late.key))).status).toBe(429);
    expect((await ask(from, bearer(private_key))).status).toBe(200);
    const pick = person.ask('PUT', '/dashboard/api/session', { workspace_id: workspaceId });
    expect((await pick.set('x-forwarded-for', from)).status).toBe(200);
    expect((await ask(from, { cookie: person.cookie })).status).toBe(200);
    await eventually(async () => expect((await ask(from, bearer(late.key))).status).toBe(200), {
      timeoutMs: 15_000,
      everyMs: 500,
    });
  }, 30_000);

  it('a request without credentials does not count', async () => {
    const statuses = await failTooOften('192.0.2.6', () => ({}));
    expect(new Set(statuses)).toEqual(new Set([401]));
  });
});
