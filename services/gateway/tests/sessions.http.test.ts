import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { INTERNAL_TOKEN_HEADER } from '@parley/kit/http';
import { eventually, internalTokens } from '@parley/testkit';
import request from 'supertest';
import { createWorkspace } from '../src/workspaces/administer.ts';
import { bootGateway, bootReplica, fakeOwner, type Gateway, INTERNAL_SECRET } from './harness.ts';
import { invite, join, PASSWORD, prove, signIn, waiting, withSession } from './people.ts';

let gateway: Gateway;
let owner: Awaited<ReturnType<typeof fakeOwner>>;
let workspaceId: string;

const SESSION = '/dashboard/api/session';

beforeAll(async () => {
  owner = await fakeOwner((_req, res) => res.end('{"success":true}'));
  gateway = await bootGateway({
    ASSISTANTS_URL: owner.url,
    TELEPHONY_URL: owner.url,
    RATE_LIMIT_BURST: '600',
  });
  workspaceId = gateway.workspace.workspace_id;
});

afterAll(async () => {
  await gateway.stop();
  await owner.close();
});

describe('people sign in to the dashboard [access.6]', () => {
  it('by e-mail and password, and get a session cookie that is httpOnly and SameSite', async () => {
    const { email } = await join(gateway, workspaceId, 'developer');
    const answer = await request(gateway.url)
      .post(SESSION)
      .send({ email: ` ${email.toUpperCase()}`, password: PASSWORD });
    expect(answer.status).toBe(201);
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^parley_session=[\w-]{43}; Max-Age=\d+; Path=\/; .*HttpOnly; SameSite=Strict$/),
      // This cookie is not a session: it identifies the browser for its count of wrong passwords.
      expect.stringMatching(/^parley_device=[\w-]{64}; Max-Age=\d+; Path=\/; .*HttpOnly; SameSite=Strict$/),
    ]);
    const picked = { workspace_id: workspaceId, workspace_name: 'Test', role: 'developer' };
    expect(answer.body.data).toMatchObject({ person: { email }, workspace: picked, workspaces: [picked] });
    const { ask } = await withSession(gateway.url, answer);
    const who = await ask('GET', SESSION);
    expect([who.status, who.body.data.person.email]).toEqual([200, email]);
    expect(who.headers['x-ratelimit-remaining']).toBeDefined();
  });

  it('the cookie is Secure and has the prefix __Host- behind https', async () => {
    const https = await bootReplica(gateway.database, { PUBLIC_URL: 'https://parley.example.org' });
    try {
      const token = await invite(https, workspaceId, 'a@example.org', 'owner');
      const accepted = await request(https.url)
        .post('/dashboard/api/invitations/accept')
        .send({ token, password: PASSWORD });
      expect(accepted.headers['strict-transport-security']).toBe('max-age=31536000');
      expect(accepted.headers['set-cookie']?.[0]).toMatch(/^__Host-parley_session=.*; Secure;/);
      const { ask } = await withSession(https.url, accepted);
      expect((await ask('GET', SESSION)).status).toBe(200);
      const made = await ask('POST', '/dashboard/api/members', { email: 'b@example.org', role: 'viewer' });
      expect(made.body.data.invitation_url).toMatch(
        /^https:\/\/parley\.example\.org\/dashboard\/invitation#[\w-]{43}$/,
      );
    } finally {
      await https.stop();
    }
  });

  it('a wrong password and an unknown address get the same answer, and keys cannot sign in', async () => {
    const { email } = await join(gateway, workspaceId, 'viewer');
    const wrong = await request(gateway.url).post(SESSION).send({ email, password: 'wrong' });
    const unknown = await request(gateway.url)
      .post(SESSION)
      .send({ email: 'nobody@example.org', password: 'wrong' });
    expect([wrong.status, wrong.body]).toEqual([401, unknown.body]);
    expect(wrong.body.error.code).toBe('UNAUTHORIZED');
    const byKey = await request(gateway.url)
      .get(SESSION)
      .set('authorization', `Bearer ${gateway.workspace.private_key}`);
    expect([byKey.status, byKey.body.error.code]).toEqual([403, 'FORBIDDEN']);
  });

  it('guesses at invitations count with those at sign-in: 429 RATE_LIMITED with Retry-After', async () => {
    const { workspace_id } = await createWorkspace(gateway.admin, { name: 'Another' });
    const { email, data } = await join(gateway, workspaceId, 'viewer');
    await prove(gateway, data.person.id);
    const token = await invite(gateway, workspace_id, email, 'viewer');
    const accept = (password: string) =>
      request(gateway.url).post('/dashboard/api/invitations/accept').send({ token, password });
    const statuses = [];
    for (let i = 0; i < 5; i++) statuses.push((await accept('a guess of twelve')).status);
    const late = await request(gateway.url).post(SESSION).send({ email, password: PASSWORD });
    expect([...statuses, (await accept(PASSWORD)).status, late.status]).toEqual([
      401, 401, 401, 401, 401, 429, 429,
    ]);
    expect(Number(late.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('the password is stored as scrypt, the session as a hash', async () => {
    const { cookie } = await join(gateway, workspaceId, 'viewer');
    const token = cookie.split('=')[1] ?? '';
    const stored = await gateway.context.prisma.session.findMany();
    expect(JSON.stringify(stored)).not.toContain(token);
    const people = await gateway.context.prisma.person.findMany();
    expect(people.every(({ passwordHash }) => passwordHash?.startsWith('scrypt$'))).toBe(true);
  });
});

describe('a session', () => {
  it('is accepted wherever a private key is, as a member with a role, and its cookie is not forwarded', async () => {
    const { ask, csrf } = await join(gateway, workspaceId, 'developer');
    const answer = await ask('POST', '/v1/assistant', { agent_name: 'Ada' });
    expect(answer.status).toBe(200);
    const headers = owner.seen.at(-1)?.headers ?? {};
    const { actor } = internalTokens(INTERNAL_SECRET, 'assistants').verify(
      String(headers[INTERNAL_TOKEN_HEADER]),
    );
    expect(actor).toMatchObject({ kind: 'member', role: 'developer' });
    expect(headers.cookie).toBeUndefined();
    expect(JSON.stringify(headers)).not.toContain(csrf);
  });

  it('starts web calls, but not through the path of the widget, which accepts pages of every origin', async () => {
    const { ask } = await join(gateway, workspaceId, 'owner');
    const before = owner.seen.length;
    const byWidget = await ask('POST', '/widget/call', {});
    expect([byWidget.status, byWidget.body.error.code]).toEqual([403, 'FORBIDDEN']);
    expect(byWidget.body.error.message).toContain('/v2/call/web');
    expect(owner.seen).toHaveLength(before);
    expect((await ask('POST', '/v2/call/web', {})).status).toBe(200);
    const { private_key } = gateway.workspace;
    const byKey = request(gateway.url).post('/widget/call').set('authorization', `Bearer ${private_key}`);
    expect((await byKey.send({})).status).toBe(200);
  });

  it('changes nothing without its CSRF token, or from a page of another site', async () => {
    const { ask, cookie, csrf } = await join(gateway, workspaceId, 'owner');
    const post = (headers: Record<string, string>) =>
      request(gateway.url)
        .post('/dashboard/api/keys')
        .set({ cookie, ...headers })
        .send({ name: 'x', type: 'private' });
    const refused = [
      await post({}),
      await post({ 'x-csrf-token': 'x'.repeat(43) }),
      await post({ 'x-csrf-token': csrf, 'sec-fetch-site': 'cross-site' }),
      await post({ 'x-csrf-token': csrf, 'sec-fetch-site': 'same-site' }),
      await post({ 'x-csrf-token': csrf, origin: 'https://evil.example' }),
      await request(gateway.url).post('/v1/assistant').set({ cookie }).send({ agent_name: 'x' }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
    expect((await post({ 'x-csrf-token': csrf, origin: gateway.url })).status).toBe(201);
    expect((await ask('GET', '/v1/voice')).status).toBe(200);
    const login = await request(gateway.url)
      .post(SESSION)
      .set('origin', 'https://evil.example')
      .send({ email: 'a@example.org', password: 'x' });
    expect(login.status).toBe(403);
  });

  it('ends on sign-out, on revocation by another session, and when the password is changed', async () => {
    const first = await join(gateway, workspaceId, 'admin');
    const [second, third] = [await signIn(gateway.url, first.email), await signIn(gateway.url, first.email)];
    const listed = await first.ask('GET', '/dashboard/api/sessions');
    expect(listed.body.data.map(({ is_current }: { is_current: boolean }) => is_current)).toEqual([
      false,
      false,
      true,
    ]);
    const isIn = async ({ ask }: Pick<typeof second, 'ask'>) => (await ask('GET', SESSION)).status;
    expect([await isIn(first), await isIn(second), await isIn(third)]).toEqual([200, 200, 200]);

    const out = await second.ask('DELETE', SESSION);
    expect([out.status, out.headers['set-cookie']?.[0]]).toEqual([
      204,
      expect.stringContaining('Expires=Thu, 01 Jan 1970'),
    ]);
    expect(await isIn(second)).toBe(401);

    expect((await first.ask('DELETE', `/dashboard/api/sessions/${third.data.session_id}`)).status).toBe(204);
    await eventually(async () => expect(await isIn(third)).toBe(401), { timeoutMs: 1_000 });

    const stranger = await join(gateway, workspaceId, 'owner');
    const others = await stranger.ask('DELETE', `/dashboard/api/sessions/${first.data.session_id}`);
    expect(others.status).toBe(404);

    const change = (current_password: string) =>
      first.ask('PUT', '/dashboard/api/password', { current_password, new_password: 'another long one' });
    expect((await change('wrong')).status).toBe(403);
    expect((await change(PASSWORD)).status).toBe(204);
    expect(await isIn(first)).toBe(200);
  });

  it('is not opened by a password that is being changed', async () => {
    const { email, data } = await join(gateway, workspaceId, 'viewer');
    const { prisma, passwords } = gateway.context;
    const passwordHash = await passwords.hash('another long one', { lane: 'test', isKnown: false, email });
    const { late } = await prisma.$transaction(
      async (tx) => {
        await tx.person.update({ where: { id: data.person.id }, data: { passwordHash } });
        const body = { email, password: PASSWORD };
        const answer = request(gateway.url)
          .post(SESSION)
          .send(body)
          .then((told) => told);
        await eventually(async () => expect(await waiting(gateway)).toBe(1));
        // Wrapped in an object, because awaiting the promise here would wait for the end of this transaction.
        return { late: answer };
      },
      { timeout: 30_000 },
    );
    expect((await late).status).toBe(401);
    expect(await prisma.session.count({ where: { personId: data.person.id } })).toBe(1);
  });

  it('ends when it is not used, and after its maximum lifetime even if it is', async () => {
    const { prisma } = gateway.context;
    const [idle, old, used] = [
      await join(gateway, workspaceId, 'viewer'),
      await join(gateway, workspaceId, 'viewer'),
      await join(gateway, workspaceId, 'viewer'),
    ];
    const now = gateway.context.clock.now().getTime();
    await prisma.session.update({ where: { id: old.data.session_id }, data: { expiresAt: new Date(now) } });
    await eventually(async () => expect((await old.ask('GET', SESSION)).status).toBe(401));
    await eventually(async () => {
      // Set again each time, because the last use may be written in between.
      const lastSeenAt = new Date(now - 12 * 3_600_000);
      await prisma.session.update({ where: { id: idle.data.session_id }, data: { lastSeenAt } });
      expect((await idle.ask('GET', SESSION)).status).toBe(401);
    });
    expect((await used.ask('GET', SESSION)).status).toBe(200);
    await gateway.context.sessionStore.sweep(new Date(now), new Date(now - 12 * 3_600_000));
    const left = (await prisma.session.findMany()).map(({ id }) => id);
    expect(left).toContain(used.data.session_id);
    expect(left).not.toContain(idle.data.session_id);
    expect(left).not.toContain(old.data.session_id);
  });
});

describe('a member of several workspaces', () => {
  it("selects one; an invitation to another requires the account's own password", async () => {
    const other = (await createWorkspace(gateway.admin, { name: 'Other' })).workspace_id;
    const { email, data } = await join(gateway, workspaceId, 'admin');
    await prove(gateway, data.person.id);
    const token = await invite(gateway, other, email, 'viewer');
    const accept = (password: string) =>
      request(gateway.url).post('/dashboard/api/invitations/accept').send({ token, password });
    expect((await accept('a password of the thief')).status).toBe(401);
    const read = await request(gateway.url).post('/dashboard/api/invitations/read').send({ token });
    expect(read.body.data).toMatchObject({ email, workspace_name: 'Other', has_account: true });
    expect((await accept(PASSWORD)).body.data.workspace).toMatchObject({
      workspace_id: other,
      role: 'viewer',
    });

    const person = await signIn(gateway.url, email);
    expect(person.data.workspace).toBeNull();
    expect(person.data.workspaces).toHaveLength(2);
    const unpicked = await person.ask('GET', '/v1/voice');
    expect([unpicked.status, unpicked.body.error.code]).toEqual([409, 'CONFLICT']);
    const picked = await person.ask('PUT', SESSION, { workspace_id: other });
    expect(picked.body.data.workspace).toMatchObject({ workspace_id: other, role: 'viewer' });
    expect((await person.ask('GET', '/v1/voice')).status).toBe(200);

    const strange = (await createWorkspace(gateway.admin, { name: 'Strange' })).workspace_id;
    expect((await person.ask('PUT', SESSION, { workspace_id: strange })).status).toBe(404);
    expect((await signIn(gateway.url, email, other)).data.workspace.workspace_id).toBe(other);
  });

  it('is refused 409 in a page that shows another one, except for the account and the session [dashboard.30]', async () => {
    const other = (await createWorkspace(gateway.admin, { name: 'Shown elsewhere' })).workspace_id;
    const { email, data } = await join(gateway, workspaceId, 'developer');
    await prove(gateway, data.person.id);
    const token = await invite(gateway, other, email, 'developer');
    await request(gateway.url).post('/dashboard/api/invitations/accept').send({ token, password: PASSWORD });
    const person = await signIn(gateway.url, email, workspaceId);
    const replica = await bootReplica(gateway.database, { ASSISTANTS_URL: owner.url });
    try {
      const ask = async (shown: string, method: string, path: string, body?: object, at = gateway.url) =>
        (await person.ask(method, path, body, at).set('x-workspace-id', shown)).status;
      const create = (shown: string, at?: string) =>
        ask(shown, 'POST', '/v1/assistant', { agent_name: 'Ada' }, at);
      expect([await create(workspaceId), await create(workspaceId, replica.url)]).toEqual([200, 200]);
      expect(owner.seen.at(-1)?.headers['x-workspace-id']).toBeUndefined();
      expect(await ask(workspaceId, 'PUT', SESSION, { workspace_id: other })).toBe(200);
      // At once, also where the session is cached with the former workspace.
      expect([await create(other, replica.url), await create(other)]).toEqual([200, 200]);
      const before = owner.seen.length;
      expect([await create(workspaceId), await ask(workspaceId, 'GET', '/v1/voice')]).toEqual([409, 409]);
      expect(owner.seen).toHaveLength(before);
      expect(await ask(workspaceId, 'GET', SESSION)).toBe(200);
      expect(await ask(workspaceId, 'GET', '/dashboard/api/sessions')).toBe(200);
      expect(await ask(workspaceId, 'DELETE', SESSION)).toBe(204);
    } finally {
      await replica.stop();
    }
  });
});
