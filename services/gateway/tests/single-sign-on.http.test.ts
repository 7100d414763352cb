import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseConfig } from '@parley/kit/config';
import { freePort } from '@parley/testkit';
import request from 'supertest';
import { configSchema } from '../src/config.ts';
import { requireOfWorkspace } from '../src/people/administer-people.ts';
import { createWorkspace } from '../src/workspaces/administer.ts';
import { bootGateway, bootReplica, type Gateway, type Replica } from './harness.ts';
import { createBrowser, OIDC_CLIENT, oidcProvider } from './oidc-provider.ts';
import { fillWorkspace, invite, join, PASSWORD } from './people.ts';

// Single sign-on by OpenID Connect [access.13] with a real provider.

let gateway: Gateway;
let replica: Replica;
let provider: Awaited<ReturnType<typeof oidcProvider>>;
let mapped: string;
let settings: Record<string, string>;
const START = '/dashboard/api/oidc/start';
const SESSION = '/dashboard/api/session';
const LOST = '0197a000-0000-7000-8000-00000000ffff';

beforeAll(async () => {
  provider = await oidcProvider();
  mapped = '0197a000-0000-7000-8000-00000000abcd';
  settings = {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: OIDC_CLIENT.client_id,
    OIDC_CLIENT_SECRET: OIDC_CLIENT.client_secret,
    OIDC_SCOPES: 'openid email groups',
    OIDC_GROUPS: JSON.stringify({
      staff: { workspace: mapped, role: 'viewer' },
      admins: [{ workspace: mapped, role: 'admin' }],
      bosses: { workspace: mapped, role: 'owner' },
      lost: { workspace: LOST, role: 'viewer' },
    }),
    RATE_LIMIT_BURST: '600',
    REDIS_PREFIX: `sso-${process.pid}-${Date.now()}`,
  };
  gateway = await bootGateway(settings);
  replica = await bootReplica(gateway.database, { ...settings, PUBLIC_URL: gateway.url });
  provider.serve(gateway.url);
  await gateway.context.prisma.workspace.update({
    where: { id: gateway.workspace.workspace_id },
    data: { id: mapped },
  });
  await join(gateway, mapped, 'owner');
});

afterAll(async () => {
  await replica.stop();
  await gateway.stop();
  await provider.close();
});

let count = 0;

/** A person with an account at the provider. */
function someone(claims: { email?: string; email_verified?: boolean; groups?: string[] } = {}) {
  const subject = `subject-${++count}`;
  const email = `sso-${count}@example.org`;
  provider.people.set(subject, { email, email_verified: true, ...claims });
  return { subject, email };
}

async function signIn(subject: string, browser = createBrowser()) {
  const { url, response } = await browser.signIn(`${gateway.url}${START}`, subject);
  const cookie = browser.cookieOf(gateway.url);
  const who = await request(gateway.url).get(SESSION).set({ cookie });
  return {
    url,
    status: response.status,
    response,
    browser,
    cookie,
    who: who.body.data,
    whoStatus: who.status,
  };
}

describe('single sign-on', () => {
  it('admits a person by their groups, with the role of the groups [access.13]', async () => {
    const { subject, email } = someone({ groups: ['staff', 'admins', 'unknown'] });
    const { url, who } = await signIn(subject);
    expect(new URL(url).pathname).toBe('/dashboard/');
    expect(who).toMatchObject({
      person: { email, is_address_proved: true },
      workspace: { workspace_id: mapped, role: 'admin' },
      signed_in_by: 'sso',
    });
    // The account has no password.
    const byPassword = await request(gateway.url).post(SESSION).send({ email, password: PASSWORD });
    expect(byPassword.status).toBe(401);
  });

  it('applies the groups at each sign-in, and withdraws what they granted', async () => {
    const { subject, email } = someone({ groups: ['staff'] });
    const first = await signIn(subject);
    expect(first.who.workspace.role).toBe('viewer');
    provider.people.set(subject, { email, email_verified: true, groups: ['admins'] });
    const second = await signIn(subject);
    expect([second.who.workspace.role, second.who.person.id]).toEqual(['admin', first.who.person.id]);
    provider.people.set(subject, { email, email_verified: true, groups: ['lost'] });
    const third = await signIn(subject);
    expect([third.who.workspaces, third.who.person.id]).toEqual([[], first.who.person.id]);
    const log = await gateway.context.prisma.auditLogEntry.findMany({
      where: { targetName: email },
      orderBy: { at: 'asc' },
    });
    expect(log.map(({ action }) => action)).toEqual([
      'member.joined',
      'member.role_changed',
      'member.removed',
    ]);
  });

  it('does not change memberships by invitation, or the last owner', async () => {
    const workspaceId = (await createWorkspace(gateway.admin, { name: 'Other' })).workspace_id;
    const { subject, email } = someone({ groups: ['staff'] });
    const person = await join(gateway, workspaceId, 'developer', email);
    const { who } = await signIn(subject);
    const roles = who.workspaces.map(({ workspace_id, role }: Record<string, string>) => [
      workspace_id,
      role,
    ]);
    expect(Object.fromEntries(roles)).toEqual({ [workspaceId]: 'developer', [mapped]: 'viewer' });
    // The account of the invitation has been merged into the proved one.
    expect((await person.ask('GET', SESSION)).status).not.toBe(500);
    expect(await gateway.context.prisma.person.count({ where: { email } })).toBe(1);
  });

  it('gives no membership of a workspace that has 1,000 members [access.5]', async () => {
    await fillWorkspace(gateway, mapped, 1_000);
    const { subject } = someone({ groups: ['staff'] });
    const { who } = await signIn(subject);
    expect(who?.workspaces ?? []).toEqual([]);
    const { count } = await gateway.context.prisma.member.deleteMany({
      where: { workspaceId: mapped, email: { startsWith: 'many-' } },
    });
    expect(count).toBeGreaterThan(0);
  });

  it('gives no membership of a workspace that is being deleted', async () => {
    const { workspace_id: id } = await createWorkspace(gateway.admin, { name: 'Leaving' });
    await gateway.context.prisma.workspace.update({
      where: { id },
      data: { id: LOST, deletedAt: new Date() },
    });
    const { subject } = someone({ groups: ['lost'] });
    expect((await signIn(subject)).who.workspaces).toEqual([]);
    await gateway.context.prisma.workspace.delete({ where: { id: LOST } });
  });

  it('rejects an unverified address, and one without group or invitation', async () => {
    for (const claims of [{ email_verified: false, groups: ['staff'] }, { groups: [] }]) {
      const { subject, email } = someone(claims);
      const { response, whoStatus } = await signIn(subject);
      expect([response.status, whoStatus]).toEqual([403, 401]);
      expect(await gateway.context.prisma.person.count({ where: { email } })).toBe(0);
    }
  });

  it('admits an invited person, who accepts the invitation with that session', async () => {
    const workspaceId = (await createWorkspace(gateway.admin, { name: 'Inviting' })).workspace_id;
    const { subject, email } = someone();
    const token = await invite(gateway, workspaceId, email, 'developer');
    const { cookie, who } = await signIn(subject);
    expect(who.workspaces).toEqual([]);
    const accepted = await request(gateway.url)
      .post('/dashboard/api/invitations/accept')
      .set({ cookie })
      .send({ token });
    expect([accepted.status, accepted.body.data.signed_in_by]).toEqual([201, 'sso']);
  });

  it('links the account of the session that started it, and keeps its password', async () => {
    const workspaceId = (await createWorkspace(gateway.admin, { name: 'Linking' })).workspace_id;
    const { subject, email } = someone();
    const person = await join(gateway, workspaceId, 'owner', email);
    const browser = createBrowser();
    const [name = '', value = ''] = person.cookie.split('=');
    browser.cookies.set(`${new URL(gateway.url).host} ${name}`, { value, path: '/' });
    const { who } = await signIn(subject, browser);
    expect(who.person).toEqual({ id: person.data.person.id, email, is_address_proved: true });
    const byPassword = await request(gateway.url).post(SESSION).send({ email, password: PASSWORD });
    expect(byPassword.status).toBe(201);
  });

  it('finds a proved account by its address, and creates one account for two concurrent sign-ins', async () => {
    const { subject, email } = someone({ groups: ['staff'] });
    const all = await Promise.all([1, 2, 3].map(() => signIn(subject)));
    expect(new Set(all.map(({ who }) => who.person.id)).size).toBe(1);
    const other = someone({ email });
    expect((await signIn(other.subject)).who.person.id).toBe(all[0]?.who.person.id);
  });

  it('can start at one replica and finish at another, once, and in the browser that started it', async () => {
    const { subject } = someone({ groups: ['staff'] });
    const browser = createBrowser();
    const { url } = await browser.signIn(`${gateway.url}${START}`, subject, '/oidc/callback');
    const cookie = browser.cookieOf(gateway.url);
    const callback = url.slice(gateway.url.length);
    const at = (base: string, headers: Record<string, string>) => request(base).get(callback).set(headers);
    expect((await at(gateway.url, {})).status).toBe(401);
    expect((await at(gateway.url, { cookie: 'parley_sso=AAAA' })).status).toBe(401);
    const forged = callback.replace(/state=[^&]+/, 'state=another');
    expect((await request(gateway.url).get(forged).set({ cookie })).status).toBe(401);
    const finished = await at(replica.url, { cookie, 'sec-fetch-site': 'cross-site' });
    expect([finished.status, finished.headers.location]).toEqual([302, '/dashboard/']);
    expect((await at(replica.url, { cookie })).status).toBe(401);
  });

  it('redirects back to a path of the dashboard only', async () => {
    for (const bad of [
      'https://evil.example',
      '//evil.example',
      '/dashboard/..//evil',
      '/v1/voice',
      '/dashboard//x@y',
    ])
      expect([bad, (await request(gateway.url).get(START).query({ return_to: bad })).status]).toEqual([
        bad,
        bad === '/dashboard/..//evil' ? 302 : 422,
      ]);
    const good = await request(gateway.url).get(START).query({ return_to: '/dashboard/calls/1' });
    expect([good.status, good.headers['set-cookie']?.[0]]).toEqual([
      302,
      expect.stringMatching(
        /^parley_sso=[\w-]+; Max-Age=600; Path=\/dashboard\/api\/oidc; .*HttpOnly; SameSite=Lax/,
      ),
    ]);
  });

  it('stores its attempt, behind https, in a cookie that other hosts cannot set', async () => {
    const https = await bootReplica(gateway.database, {
      ...settings,
      PUBLIC_URL: 'https://parley.example.org',
    });
    try {
      const begun = await request(https.url).get(START);
      expect(begun.headers['set-cookie']?.[0]).toMatch(
        /^__Host-parley_sso=[\w-]+; Max-Age=600; Path=\/; .*HttpOnly; Secure; SameSite=Lax/,
      );
    } finally {
      await https.stop();
    }
  });

  it('can be required by a workspace', async () => {
    const { subject } = someone({ groups: ['staff'] });
    const { cookie } = await signIn(subject);
    const person = await join(gateway, mapped, 'viewer');
    const statuses = async () => [
      (await request(gateway.url).get('/dashboard/api/members').set({ cookie })).status,
      (await person.ask('GET', '/dashboard/api/members')).status,
    ];
    await requireOfWorkspace(gateway.context, mapped, { sso: true });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await statuses()).toEqual([200, 403]);
    await requireOfWorkspace(gateway.context, mapped, { sso: false });
  });

  it('is 503 while the provider is unavailable, and 409 where it is not configured', async () => {
    const away = await bootReplica(gateway.database, {
      OIDC_ISSUER: `http://127.0.0.1:${await freePort()}`,
      OIDC_CLIENT_ID: 'x',
      OIDC_CLIENT_SECRET: 'x',
      PASSWORD_SIGN_IN: 'false',
    });
    const none = await bootReplica(gateway.database);
    try {
      expect((await request(away.url).get(START)).status).toBe(503);
      expect((await request(none.url).get(START)).status).toBe(409);
      const refused = await request(away.url)
        .post(SESSION)
        .send({ email: 'a@example.org', password: PASSWORD });
      expect(refused.status).toBe(403);
      const methods = async ({ url }: Replica) =>
        (await request(url).get('/dashboard/api/sign-in-methods')).body.data;
      expect(await methods(away)).toEqual({ password: false, sso: true, mail: false });
      expect(await methods(none)).toEqual({ password: true, sso: false, mail: false });
    } finally {
      await away.stop();
      await none.stop();
    }
  });
});

describe('the configuration of single sign-on', () => {
  const problems = (env: Record<string, string>): string => {
    try {
      parseConfig(configSchema, env);
      return '';
    } catch (err) {
      return String(err);
    }
  };

  it('accepts an https or local issuer and a complete mapping of groups', () => {
    expect(problems({ OIDC_ISSUER: 'http://idp.example.org' })).toContain('OIDC_ISSUER');
    expect(problems({ OIDC_ISSUER: 'https://idp.example.org' })).not.toContain('OIDC_ISSUER');
    expect(problems({ OIDC_GROUPS: '{"a": {"workspace": "x", "role": "admin"}}' })).toContain('OIDC_GROUPS');
    expect(problems({ OIDC_GROUPS: 'nonsense' })).toContain('OIDC_GROUPS');
  });
});
