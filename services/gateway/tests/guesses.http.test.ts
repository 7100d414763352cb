import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import request from 'supertest';
import { bootGateway, bootReplica, type Gateway, type Replica } from './harness.ts';
import { join, PASSWORD } from './people.ts';

// A trusted proxy sets the client address of each guess.

let gateway: Gateway;
let replica: Replica;
const lines: string[] = [];
const SESSION = '/dashboard/api/session';

beforeAll(async () => {
  const settings = {
    TRUSTED_PROXIES: '127.0.0.0/8,::1/128',
    RATE_LIMIT_BURST: '600',
    SIGN_IN_ALARM_PER_ACCOUNT_AND_HOUR: '12',
    REDIS_PREFIX: `guesses-${process.pid}-${Date.now()}`,
  };
  const destination = { write: (line: string) => void lines.push(line) };
  gateway = await bootGateway(settings, createLogger({ service: 'gateway', level: 'warn', destination }));
  replica = await bootReplica(gateway.database, settings);
});

afterAll(async () => {
  await replica.stop();
  await gateway.stop();
});

type Attempt = { email: string; password?: string; from: string; cookie?: string; at?: string };

const attempt = ({ email, password = 'wrong', from, cookie = '', at = gateway.url }: Attempt) =>
  request(at).post(SESSION).set({ 'x-forwarded-for': from, cookie }).send({ email, password });

/** Guesses until one is rejected without a check; returns the statuses. */
async function guess(email: string, times: number, from: (i: number) => string, at?: string) {
  const statuses: number[] = [];
  for (let i = 0; i < times; i += 1)
    statuses.push((await attempt({ email, from: from(i), ...(at ? { at } : {}) })).status);
  return statuses;
}

const cookiesOf = (answer: request.Response): string[] =>
  [answer.headers['set-cookie'] ?? []].flat().map((cookie) => String(cookie).split(';')[0] ?? '');
const deviceOf = (answer: request.Response): string =>
  cookiesOf(answer).find((cookie) => cookie.includes('parley_device=')) ?? '';

const someone = () => join(gateway, gateway.workspace.workspace_id, 'viewer');

describe('guesses at a password [access.10]', () => {
  it('from one network are delayed after five, for all its addresses and at all replicas, without affecting other networks', async () => {
    const { email } = await someone();
    const here = (i: number) => `203.0.113.${i + 1}`;
    expect(await guess(email, 3, here)).toEqual([401, 401, 401]);
    expect(await guess(email, 3, (i) => here(i + 3), replica.url)).toEqual([401, 401, 429]);
    const late = await attempt({ email, password: PASSWORD, from: '203.0.113.250' });
    expect([late.status, late.body.error.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(late.headers['retry-after'])).toBeGreaterThan(0);
    const elsewhere = await attempt({ email, password: PASSWORD, from: '198.51.100.7' });
    expect(elsewhere.status).toBe(201);
  });

  it('from one IPv6 network count together', async () => {
    const { email } = await someone();
    const statuses = await guess(email, 6, (i) => `2001:db8:1:2::${i + 1}`);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    expect((await attempt({ email, password: PASSWORD, from: '2001:db8:1:3::1' })).status).toBe(201);
  });

  it('the correct password resets the count', async () => {
    const { email } = await someone();
    const from = () => '192.0.2.9';
    expect(await guess(email, 4, from)).toEqual([401, 401, 401, 401]);
    expect((await attempt({ email, password: PASSWORD, from: from() })).status).toBe(201);
    expect(await guess(email, 4, from)).toEqual([401, 401, 401, 401]);
  });

  it('delay an address without an account in the same way', async () => {
    const statuses = await guess('nobody-at-all@example.org', 6, () => '192.0.2.10');
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it('do not lock out browsers that have signed in before, or sessions that change their password', async () => {
    const person = await someone();
    const { email } = person;
    const from = '203.0.113.77';
    const before = await attempt({ email, password: PASSWORD, from });
    const device = deviceOf(before);
    expect(device).toMatch(/^parley_device=[\w.-]+$/);
    expect(await guess(email, 6, () => from)).toEqual([401, 401, 401, 401, 401, 429]);
    expect((await attempt({ email, password: PASSWORD, from })).status).toBe(429);
    const again = await attempt({ email, password: PASSWORD, from, cookie: device });
    expect([again.status, deviceOf(again)]).toEqual([201, device]);
    const body = { current_password: PASSWORD, new_password: 'another long password' };
    const changed = await person.ask('PUT', '/dashboard/api/password', body).set('x-forwarded-for', from);
    expect(changed.status).toBe(204);
    // The browser has a count of its own, which also increases.
    const own = [];
    for (let i = 0; i < 6; i += 1) own.push((await attempt({ email, from, cookie: device })).status);
    expect(own).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it('a browser is known only to the account that signed in, and not by a forged cookie', async () => {
    const [victim, other] = [await someone(), await someone()];
    const from = '203.0.113.88';
    const device = deviceOf(await attempt({ email: other.email, password: PASSWORD, from }));
    await guess(victim.email, 5, () => from);
    const forged = `parley_device=${Buffer.alloc(48, 7).toString('base64url')}`;
    for (const cookie of [device, forged, `${device}x`, 'parley_device='])
      expect((await attempt({ email: victim.email, password: PASSWORD, from, cookie })).status).toBe(429);
  });

  it('from many networks at one account raise an alarm, and lock out no one', async () => {
    const { email } = await someone();
    const alarms = async () => {
      const [, count = '0'] =
        /^parley_sign_in_alarms_total\S* (\d+)/m.exec(
          (await request(gateway.internalUrl).get('/metrics')).text,
        ) ?? [];
      return Number(count);
    };
    const before = await alarms();
    const statuses = await guess(email, 14, (i) => `198.18.${i}.1`);
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect(await alarms()).toBe(before + 2);
    const told = lines.filter((line) => line.includes('many wrong passwords for one account'));
    expect(told).toHaveLength(1);
    expect(told.join()).not.toContain(email);
    expect((await attempt({ email, password: PASSWORD, from: '198.51.100.9' })).status).toBe(201);
  });

  it('wrong passwords of a session are delayed too, for that session only', async () => {
    const person = await someone();
    const change = () =>
      person.ask('PUT', '/dashboard/api/password', {
        current_password: 'wrong',
        new_password: 'another long password',
      });
    const statuses = [];
    for (let i = 0; i < 6; i += 1) statuses.push((await change()).status);
    expect(statuses).toEqual([403, 403, 403, 403, 403, 429]);
    const signedIn = await attempt({ email: person.email, password: PASSWORD, from: '198.51.100.11' });
    expect(signedIn.status).toBe(201);
  });
});
