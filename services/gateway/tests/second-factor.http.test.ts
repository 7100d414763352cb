import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { realNow } from '@parley/kit/time';
import { eventually } from '@parley/testkit';
import { TOTP } from 'otpauth';
import request from 'supertest';
import { requireOfWorkspace, resetSecondFactor } from '../src/people/administer-people.ts';
import { createWorkspace } from '../src/workspaces/administer.ts';
import { bootGateway, bootReplica, type Gateway, type Replica } from './harness.ts';
import { invite, join, PASSWORD, type Person, prove, withSession } from './people.ts';

// TOTP as the second factor of an account with a password [access.12].

let gateway: Gateway;
let replica: Replica;
let workspaceId: string;
const SESSION = '/dashboard/api/session';
const FACTOR = '/dashboard/api/second-factor';
const WRONG = '000000';

beforeAll(async () => {
  const settings = {
    RATE_LIMIT_BURST: '600',
    TRUSTED_PROXIES: '127.0.0.0/8,::1/128',
    REDIS_PREFIX: `factors-${process.pid}-${Date.now()}`,
  };
  gateway = await bootGateway(settings);
  replica = await bootReplica(gateway.database, settings);
  workspaceId = gateway.workspace.workspace_id;
});

afterAll(async () => {
  await replica.stop();
  await gateway.stop();
});

/** A code of the app, now or some steps of 30 seconds earlier or later. */
const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret }).generate({ timestamp: realNow().getTime() + steps * 30_000 });

/** Enabled with the code of the previous step, so that the current one is still unused. */
async function withFactor(person: Person & { email: string }) {
  const begun = await person.ask('POST', FACTOR, { password: PASSWORD });
  expect(begun.status).toBe(201);
  const secret: string = begun.body.data.secret;
  const enabled = await person.ask('POST', `${FACTOR}/confirm`, { code: codeOf(secret, -1) });
  expect(enabled.status).toBe(201);
  return { ...person, secret, recovery: enabled.body.data.recovery_codes as string[] };
}

const newOne = async () => withFactor(await join(gateway, workspaceId, 'owner'));

const cookiesOf = (answer: request.Response): string =>
  [answer.headers['set-cookie'] ?? []]
    .flat()
    .map((cookie) => String(cookie).split(';')[0])
    .join('; ');

const password = (email: string, { at = gateway.url, cookie = '' } = {}) =>
  request(at).post(SESSION).set({ cookie }).send({ email, password: PASSWORD });

const code = (cookie: string, value: string, at = gateway.url) =>
  request(at).post(`${SESSION}/code`).set({ cookie }).send({ code: value });

async function challenged(email: string): Promise<string> {
  const answer = await password(email);
  expect([answer.status, answer.body.error.code]).toEqual([401, 'SECOND_FACTOR_REQUIRED']);
  expect(cookiesOf(answer)).toMatch(/^parley_challenge=[\w.-]+$/);
  return cookiesOf(answer);
}

describe('a second factor', () => {
  it('is started with the password, enabled with a code, and required from then on [access.12]', async () => {
    const person = await join(gateway, workspaceId, 'viewer');
    expect((await person.ask('POST', FACTOR, { password: 'wrong' })).status).toBe(403);
    const first = (await person.ask('POST', FACTOR, { password: PASSWORD })).body.data;
    const second = (await person.ask('POST', FACTOR, { password: PASSWORD })).body.data;
    expect(second.otpauth_uri).toContain(`secret=${second.secret}`);
    // It has no effect before it is enabled.
    expect((await password(person.email)).status).toBe(201);
    for (const bad of [WRONG, codeOf(first.secret)])
      expect((await person.ask('POST', `${FACTOR}/confirm`, { code: bad })).status).toBe(403);
    const enabled = await person.ask('POST', `${FACTOR}/confirm`, { code: codeOf(second.secret, -1) });
    expect([enabled.status, enabled.body.data.recovery_codes.length]).toEqual([201, 10]);
    expect((await person.ask('POST', FACTOR, { password: PASSWORD })).status).toBe(409);
    expect((await person.ask('GET', FACTOR)).body.data).toEqual({
      is_enabled: true,
      enabled_at: expect.any(String),
      recovery_codes_left: 10,
    });
    const cookie = await challenged(person.email);
    const done = await code(cookie, codeOf(second.secret));
    expect([done.status, done.body.data.signed_in_by]).toEqual([201, 'second_factor']);
    expect(done.body.data.workspace.workspace_id).toBe(workspaceId);
    const stored = JSON.stringify([
      await gateway.context.prisma.totpFactor.findMany({ omit: { lastStep: true } }),
      await gateway.context.prisma.recoveryCode.findMany(),
    ]);
    for (const secret of [second.secret, ...enabled.body.data.recovery_codes])
      expect(stored).not.toContain(secret);
  });

  it('accepts each code once, also on two replicas concurrently', async () => {
    const { email, secret } = await newOne();
    const cookies = await Promise.all([1, 2, 3, 4].map(() => challenged(email)));
    const value = codeOf(secret);
    const at = (i: number) => (i % 2 ? replica.url : gateway.url);
    const all = await Promise.all(cookies.map((cookie, i) => code(cookie, value, at(i))));
    expect(all.map(({ status }) => status).sort()).toEqual([201, 401, 401, 401]);
    const older = await code(await challenged(email), codeOf(secret, -1));
    expect(older.status).toBe(401);
  });

  it('accepts each recovery code once, however it is typed, and replaces them all', async () => {
    const person = await newOne();
    const [first = '', second = '', third = ''] = person.recovery;
    expect((await code(await challenged(person.email), first.toUpperCase())).status).toBe(201);
    expect((await code(await challenged(person.email), first)).status).toBe(401);
    const both = await Promise.all(
      [gateway.url, replica.url].map(async (at) => code(await challenged(person.email), second, at)),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([201, 401]);
    const renewed = await person.ask('POST', `${FACTOR}/recovery-codes`, { password: PASSWORD, code: third });
    expect(renewed.body.data.recovery_codes).toHaveLength(10);
    const [fresh] = renewed.body.data.recovery_codes;
    expect((await code(await challenged(person.email), person.recovery[3] ?? '')).status).toBe(401);
    expect((await code(await challenged(person.email), fresh)).status).toBe(201);
    expect((await person.ask('GET', FACTOR)).body.data.recovery_codes_left).toBe(9);
    const log = await person.ask('GET', '/v1/audit-log?action=member.recovery_codes_renewed&limit=1');
    expect(log.body.data).toMatchObject([{ actor: { kind: 'member', name: person.email } }]);
  });

  it('accepts each challenge for one session, also on two replicas concurrently, and not after its end', async () => {
    const { email, secret, recovery } = await newOne();
    const [first = '', second = '', third = ''] = recovery;
    const challenge = await challenged(email);
    expect((await code(challenge, WRONG)).status).toBe(401);
    const at = [gateway.url, replica.url];
    const both = await Promise.all([first, second].map((value, i) => code(challenge, value, at[i])));
    expect(both.map(({ status }) => status).sort()).toEqual([201, 401]);
    const opened = both.find(({ status }) => status === 201);
    const session = { cookie: opened && cookiesOf(opened), 'x-csrf-token': opened?.body.data.csrf_token };
    expect((await request(gateway.url).delete(SESSION).set(session)).status).toBe(204);
    for (const value of [third, codeOf(secret)]) {
      const again = await code(challenge, value);
      expect([again.status, again.body.error.message]).toEqual([401, 'Sign in with the password first']);
    }
    expect((await code(await challenged(email), recovery[3] ?? '')).status).toBe(201);
  });

  it('limits guesses per account, from anywhere, except for a known browser', async () => {
    const { email, secret } = await newOne();
    const known = cookiesOf(await code(await challenged(email), codeOf(secret)));
    const device = known.split('; ').find((cookie) => cookie.startsWith('parley_device=')) ?? '';
    const challenge = await challenged(email);
    const statuses = [];
    for (let i = 0; i < 6; i += 1)
      statuses.push((await code(challenge, WRONG).set('x-forwarded-for', `198.18.${i}.1`)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    expect((await code(`${challenge}; ${device}`, codeOf(secret, 1))).status).toBe(201);
  });

  it('rejects a forged or missing challenge, and one of another password', async () => {
    const { email, secret, ask } = await newOne();
    const other = await newOne();
    const challenge = await challenged(email);
    const [body, mac] = challenge.replace('parley_challenge=', '').split('.');
    const [foreignBody] = (await challenged(other.email)).replace('parley_challenge=', '').split('.');
    const late = Buffer.from(
      JSON.stringify({ ...JSON.parse(Buffer.from(body ?? '', 'base64url').toString()), until: 9e15 }),
    ).toString('base64url');
    for (const bad of [
      '',
      'parley_challenge=x',
      ...[foreignBody, late].map((b) => `parley_challenge=${b}.${mac}`),
    ])
      expect([bad, (await code(bad, codeOf(secret))).status]).toEqual([bad, 401]);
    const change = { current_password: PASSWORD, new_password: 'another long password' };
    expect((await ask('PUT', '/dashboard/api/password', change)).status).toBe(204);
    expect((await code(challenge, codeOf(secret))).status).toBe(401);
  });

  it('is disabled by password and code together, and reset by the operator', async () => {
    const person = await newOne();
    const disable = (shown: object) => person.ask('POST', `${FACTOR}/disable`, shown);
    const [recovery = ''] = person.recovery;
    expect((await disable({ password: 'wrong', code: recovery })).status).toBe(403);
    expect((await disable({ password: PASSWORD, code: WRONG })).status).toBe(403);
    expect((await disable({ password: PASSWORD })).status).toBe(422);
    expect((await disable({ password: PASSWORD, code: recovery })).status).toBe(204);
    expect((await password(person.email)).status).toBe(201);
    const again = await newOne();
    const account = { email: again.email, workspaceId: undefined };
    expect(await resetSecondFactor(gateway.context, account)).toEqual({
      email: again.email,
      was_enabled: true,
    });
    expect((await password(again.email)).status).toBe(201);
  });

  it('leaves no session that counts as opened with it once it is disabled or reset', async () => {
    const [own, reset] = [await newOne(), await newOne()];
    const signedInBy = async (person: Person) =>
      (await person.ask('GET', SESSION)).body.data.signed_in_by as string;
    await eventually(async () => expect(await signedInBy(own)).toBe('second_factor'));
    const shown = { password: PASSWORD, code: own.recovery[0] };
    expect((await own.ask('POST', `${FACTOR}/disable`, shown)).status).toBe(204);
    expect(await signedInBy(own)).toBe('password');
    await resetSecondFactor(gateway.context, { email: reset.email, workspaceId: undefined });
    await eventually(async () => expect(await signedInBy(reset)).toBe('password'), { timeoutMs: 2_000 });
  });

  it('stores its challenge, behind https, in a cookie that other hosts cannot set', async () => {
    const { email, secret } = await newOne();
    const https = { 'x-forwarded-proto': 'https' };
    const answer = await password(email).set(https);
    const [cookie] = [answer.headers['set-cookie'] ?? []].flat().map(String);
    expect(cookie).toMatch(
      /^__Host-parley_challenge=[\w.-]+; Max-Age=300; Path=\/; .*Secure; SameSite=Strict/,
    );
    const bare = cookiesOf(answer).replace('__Host-', '');
    expect((await code(bare, codeOf(secret)).set(https)).status).toBe(401);
    const done = await code(cookiesOf(answer), codeOf(secret)).set(https);
    expect([done.status, cookiesOf(done)]).toEqual([201, expect.stringContaining('__Host-parley_session=')]);
  });

  it('is not bypassed by an invitation', async () => {
    const person = await newOne();
    await prove(gateway, person.data.person.id);
    const { workspace_id } = await createWorkspace(gateway.admin, { name: 'Another' });
    const token = await invite(gateway, workspace_id, person.email, 'viewer');
    const accept = (body: object, cookie = '') =>
      request(gateway.url)
        .post('/dashboard/api/invitations/accept')
        .set({ cookie })
        .send({ token, ...body });
    expect((await accept({ password: PASSWORD })).status).toBe(401);
    const accepted = await accept({}, person.cookie);
    expect([accepted.status, accepted.body.data.signed_in_by]).toEqual([201, 'second_factor']);
  });
});

describe('a workspace that requires a second factor', () => {
  it('admits only sessions with a second factor, except to enable one', async () => {
    const token = await invite(gateway, workspaceId, 'strict@example.org', 'owner');
    const accepted = await request(gateway.url)
      .post('/dashboard/api/invitations/accept')
      .send({ token, password: PASSWORD });
    const person = { email: 'strict@example.org', ...(await withSession(gateway.url, accepted)) };
    const read = async () => (await person.ask('GET', '/dashboard/api/members')).status;
    expect(await read()).toBe(200);
    await requireOfWorkspace(gateway.context, workspaceId, { secondFactor: true });
    try {
      await eventually(async () => expect(await read()).toBe(403), { timeoutMs: 1_500 });
      expect((await person.ask('GET', SESSION)).status).toBe(200);
      await withFactor(person);
      await eventually(async () => expect(await read()).toBe(200), { timeoutMs: 1_500 });
    } finally {
      await requireOfWorkspace(gateway.context, workspaceId, { secondFactor: false });
    }
    const log = await person.ask('GET', '/v1/audit-log?action=workspace.sign_in_required');
    expect(log.body.data.map(({ changes }: { changes: object }) => changes)).toEqual([
      { require_second_factor: { from: true, to: false } },
      { require_second_factor: { from: false, to: true } },
    ]);
  });
});
