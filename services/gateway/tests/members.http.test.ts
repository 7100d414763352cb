import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AnyEndpoint, publicEndpoints, type Role } from '@parley/contracts';
import { eventually } from '@parley/testkit';
import request from 'supertest';
import { createWorkspace } from '../src/workspaces/administer.ts';
import { bootGateway, fakeOwner, type Gateway } from './harness.ts';
import { invite, join, PASSWORD, waiting } from './people.ts';

let gateway: Gateway;
let owner: Awaited<ReturnType<typeof fakeOwner>>;

const MEMBERS = '/dashboard/api/members';
const ACCEPT = '/dashboard/api/invitations/accept';
const ID = '0197a000-0000-7000-8000-000000000000';

beforeAll(async () => {
  owner = await fakeOwner((_req, res) => res.end('{"success":true}'));
  gateway = await bootGateway({
    ASSISTANTS_URL: owner.url,
    TELEPHONY_URL: owner.url,
    CAMPAIGNS_URL: owner.url,
    WEBHOOKS_URL: owner.url,
    RATE_LIMIT_BURST: '600',
    CALL_RATE_LIMIT_BURST: '100',
  });
});

afterAll(async () => {
  await gateway.stop();
  await owner.close();
});

async function team() {
  const { workspace_id } = await createWorkspace(gateway.admin, { name: 'Team' });
  const of = (role: Role) => join(gateway, workspace_id, role);
  return { workspace_id, of };
}

async function idOf({ ask }: Awaited<ReturnType<typeof join>>, email: string): Promise<string> {
  const { body } = await ask('GET', MEMBERS);
  return body.data.find((member: { email: string }) => member.email === email).id;
}

describe('members [access.5]', () => {
  it('are invited by a token that is shown once, is accepted once, and is replaced by the next one', async () => {
    const { of } = await team();
    const admin = await of('admin');
    const email = 'new.person@example.org';
    const inviteAgain = () => admin.ask('POST', MEMBERS, { email: email.toUpperCase(), role: 'developer' });
    const first = await inviteAgain();
    expect([first.status, first.body.data]).toEqual([
      201,
      expect.objectContaining({ email, role: 'developer', status: 'invited', invited_by: admin.email }),
    ]);
    const second = await inviteAgain();
    expect(second.body.data.id).toBe(first.body.data.id);
    const accept = (token: string) => request(gateway.url).post(ACCEPT).send({ token, password: PASSWORD });
    expect((await accept(first.body.data.invitation_token)).status).toBe(404);
    const accepted = await accept(second.body.data.invitation_token);
    expect([accepted.status, accepted.body.data.person.email]).toEqual([201, email]);
    expect((await accept(second.body.data.invitation_token)).status).toBe(404);
    const listed = await admin.ask('GET', MEMBERS);
    expect(JSON.stringify(listed.body)).not.toContain(second.body.data.invitation_token);
    expect(listed.body.data).toContainEqual(expect.objectContaining({ email, status: 'active' }));
    expect((await inviteAgain()).status).toBe(409);
  });

  it('accepting during a repeated invitation joins with the role of the first one', async () => {
    const { of } = await team();
    const boss = await of('owner');
    const inviteAs = (role: Role) => boss.ask('POST', MEMBERS, { email: 'soon@example.org', role });
    const { id } = (await inviteAs('developer')).body.data;
    const soon = await join(gateway, gateway.workspace.workspace_id, 'viewer', 'soon@example.org');
    const accepted = { personId: soon.data.person.id, invitationHash: null, invitationExpiresAt: null };
    const { again } = await gateway.context.prisma.$transaction(
      async (tx) => {
        await tx.member.update({ where: { id }, data: accepted });
        const answer = inviteAs('viewer').then((told) => told);
        await eventually(async () => expect(await waiting(gateway)).toBe(1));
        // Wrapped in an object, because awaiting the promise here would wait for the end of this transaction.
        return { again: answer };
      },
      { timeout: 30_000 },
    );
    expect((await again).status).toBe(409);
    const listed = (await boss.ask('GET', MEMBERS)).body.data;
    expect(listed).toContainEqual(expect.objectContaining({ id, role: 'developer', status: 'active' }));
  });

  it('an invitation expires', async () => {
    const { workspace_id } = await team();
    const token = await invite(gateway, workspace_id, 'late@example.org', 'viewer');
    await gateway.context.prisma.member.updateMany({
      where: { workspaceId: workspace_id },
      data: { invitationExpiresAt: gateway.context.clock.now() },
    });
    const answer = await request(gateway.url).post(ACCEPT).send({ token, password: PASSWORD });
    expect([answer.status, answer.body.error.code]).toEqual([404, 'NOT_FOUND']);
  });

  it('an account has no access to a workspace whose invitation it has not accepted', async () => {
    const { workspace_id, of } = await team();
    const admin = await of('admin');
    await admin.ask('POST', MEMBERS, { email: 'boss@example.org', role: 'viewer' });
    const thief = await join(gateway, gateway.workspace.workspace_id, 'viewer', 'boss@example.org');
    const switched = await thief.ask('PUT', '/dashboard/api/session', { workspace_id });
    expect(switched.status).toBe(404);
  });

  it('admins neither create nor change owners, members cannot promote themselves, developers change no members', async () => {
    const { of } = await team();
    const [boss, admin, developer] = [await of('owner'), await of('admin'), await of('developer')];
    const [bossId, adminId, developerId] = [
      await idOf(boss, boss.email),
      await idOf(boss, admin.email),
      await idOf(boss, developer.email),
    ];
    const status = async (asking: Promise<request.Response>) => (await asking).status;
    const raise = (who: typeof admin, id: string, role: Role) =>
      status(who.ask('PATCH', `${MEMBERS}/${id}`, { role }).then((answer) => answer));
    expect(await raise(admin, adminId, 'owner')).toBe(403);
    expect(await raise(admin, developerId, 'owner')).toBe(403);
    expect(await raise(admin, bossId, 'viewer')).toBe(403);
    expect((await admin.ask('DELETE', `${MEMBERS}/${bossId}`)).status).toBe(403);
    expect((await admin.ask('POST', MEMBERS, { email: 'x@example.org', role: 'owner' })).status).toBe(403);
    expect(await raise(developer, developerId, 'admin')).toBe(403);
    expect(await raise(admin, developerId, 'admin')).toBe(200);
    expect(await raise(boss, adminId, 'owner')).toBe(200);
  });

  it('the last owner cannot be removed', async () => {
    const { of } = await team();
    const boss = await of('owner');
    const id = await idOf(boss, boss.email);
    await boss.ask('POST', MEMBERS, { email: 'not-here-yet@example.org', role: 'owner' });
    expect((await boss.ask('PATCH', `${MEMBERS}/${id}`, { role: 'admin' })).status).toBe(409);
    expect((await boss.ask('DELETE', `${MEMBERS}/${id}`)).status).toBe(409);
    const second = await of('owner');
    const both = await Promise.all([
      boss.ask('DELETE', `${MEMBERS}/${await idOf(boss, second.email)}`),
      second.ask('DELETE', `${MEMBERS}/${id}`),
    ]);
    // Each removes the other at the same time: one of them remains.
    expect(both.map(({ status }) => status).sort()).not.toEqual([204, 204]);
    expect(both.map(({ status }) => status)).toContain(204);
  });

  it('a removal or another role takes effect within a second', async () => {
    const { of } = await team();
    const [boss, developer] = [await of('owner'), await of('developer')];
    const create = async () => (await developer.ask('POST', '/v1/assistant', { agent_name: 'x' })).status;
    expect(await create()).toBe(200);
    const id = await idOf(boss, developer.email);
    await boss.ask('PATCH', `${MEMBERS}/${id}`, { role: 'viewer' });
    await eventually(async () => expect(await create()).toBe(403), { timeoutMs: 1_000 });
    await boss.ask('DELETE', `${MEMBERS}/${id}`);
    // The account belonged only to this workspace and is deleted with it.
    await eventually(async () => expect(await create()).toBe(401), { timeoutMs: 1_000 });
  });
});

describe('a viewer only reads [access.5]', () => {
  const all = publicEndpoints.filter(({ access, role }) => access === 'private' || role !== undefined);
  const isRead = ({ method, readsOnly }: AnyEndpoint) => method === 'GET' || readsOnly === true;
  const pathOf = ({ path }: AnyEndpoint) =>
    path.replace(':phone_number', '+15550100200').replace(/:\w+/g, ID);

  it('gets 403 FORBIDDEN on every change, on any route', async () => {
    const { ask } = await (await team()).of('viewer');
    const changes = all.filter((endpoint) => !isRead(endpoint));
    expect(changes.length).toBeGreaterThan(30);
    for (const endpoint of changes) {
      const { status, body } = await ask(endpoint.method, pathOf(endpoint), {});
      expect([endpoint.id, status, body.error?.code]).toEqual([endpoint.id, 403, 'FORBIDDEN']);
    }
  });

  it('is allowed every read', async () => {
    const { ask } = await (await team()).of('viewer');
    for (const endpoint of all.filter((one) => isRead(one) && one.service !== 'gateway')) {
      const { status } = await ask(endpoint.method, pathOf(endpoint), endpoint.body ? {} : undefined);
      expect([endpoint.id, status]).toEqual([endpoint.id, 200]);
    }
    for (const path of [MEMBERS, '/dashboard/api/keys']) expect((await ask('GET', path)).status).toBe(200);
  });
});

describe('a member who has just lost the permission', () => {
  it('neither creates nor revokes a key, whatever their session has cached', async () => {
    const { of } = await team();
    const [boss, admin] = [await of('owner'), await of('admin')];
    const keys = '/dashboard/api/keys';
    const { id } = (await boss.ask('POST', keys, { name: 'x', type: 'private' })).body.data;
    const mine = await idOf(boss, admin.email);
    const { asked } = await gateway.context.prisma.$transaction(
      async (tx) => {
        await tx.member.update({ where: { id: mine }, data: { role: 'developer' } });
        const asking = [
          admin.ask('POST', keys, { name: 'y', type: 'private' }),
          admin.ask('POST', `${keys}/${id}/revoke`),
        ].map((test) => test.then(({ status }) => status));
        // Both requests have been authorized as an admin's and now wait for this transaction.
        await eventually(async () => expect(await waiting(gateway)).toBe(2));
        return { asked: asking };
      },
      { timeout: 30_000 },
    );
    expect(await Promise.all(asked)).toEqual([403, 403]);
    const listed: { id: string; is_active: boolean }[] = (await boss.ask('GET', keys)).body.data;
    expect(listed[0]).toMatchObject({ id, is_active: true });
  });
});

describe('lists of keys and members', () => {
  it.each(['/dashboard/api/keys', MEMBERS])('%s returns pages that show each item once', async (path) => {
    const { of } = await team();
    const boss = await of('owner');
    const make = (i: number) =>
      path === MEMBERS
        ? { email: `page-${i}@example.org`, role: 'viewer' }
        : { name: `key ${i}`, type: 'private' };
    for (let i = 0; i < 4; i += 1) expect((await boss.ask('POST', path, make(i))).status).toBe(201);
    // In addition to the owner and the two first keys of a workspace.
    const total = path === MEMBERS ? 5 : 6;
    const ids: string[] = [];
    let next: string | null = '0';
    while (next !== null) {
      const { body } = await boss.ask('GET', `${path}?limit=2&offset=${next}`);
      expect(body.pagination).toMatchObject({ total, count: body.data.length });
      ids.push(...body.data.map(({ id }: { id: string }) => id));
      next = body.pagination.next_cursor;
    }
    expect([ids.length, new Set(ids).size]).toEqual([total, total]);
    const past = await boss.ask('GET', `${path}?offset=99`);
    expect([past.status, past.body.data, past.body.pagination.next_cursor]).toEqual([200, [], null]);
    for (const bad of ['limit=101', 'limit=0', 'offset=-1'])
      expect((await boss.ask('GET', `${path}?${bad}`)).status).toBe(422);
  });
});

describe('Authentication 6', () => {
  it('tools are changed with a private key, which has the rights of an owner, and by all members except viewers', async () => {
    const { workspace_id, private_key } = await createWorkspace(gateway.admin, { name: 'Tools' });
    const path = `/v1/tool/custom/${ID}`;
    const byKey = request(gateway.url).put(path).set('authorization', `Bearer ${private_key}`);
    expect((await byKey.send({ description: 'd' })).status).toBe(200);
    for (const [role, status] of [
      ['owner', 200],
      ['admin', 200],
      ['developer', 200],
      ['viewer', 403],
    ] as const) {
      const { ask } = await join(gateway, workspace_id, role);
      expect([role, (await ask('PUT', path, { description: 'd' })).status]).toEqual([role, status]);
    }
  });
});

describe('keys through the dashboard [access.4]', () => {
  it('are generated there and shown only once, with expiry and creator; a revoked one is rejected', async () => {
    const { of, workspace_id } = await team();
    const [admin, developer] = [await of('admin'), await of('developer')];
    const keys = '/dashboard/api/keys';
    const expires_at = '2099-01-01T00:00:00.000Z';
    const body = { name: ' CI ', type: 'private', expires_at };
    const made = await admin.ask('POST', keys, body);
    expect([made.status, made.body.data]).toEqual([
      201,
      expect.objectContaining({ name: 'CI', is_active: true, expires_at, created_by: admin.email }),
    ]);
    const { key, id, masked_key } = made.body.data;
    expect(masked_key).toBe(`${key.slice(0, 12)}…`);
    const listed = await developer.ask('GET', keys);
    expect(listed.body.data[0].id).toBe(id);
    expect(JSON.stringify(listed.body)).not.toContain(key);
    expect((await developer.ask('POST', keys, body)).status).toBe(403);
    const past = await admin.ask('POST', keys, { ...body, expires_at: '2020-01-01T00:00:00Z' });
    const message = 'expires_at must be in the future';
    expect([past.status, past.body.error.message]).toEqual([422, message]);
    expect(past.body.error.details).toEqual([{ path: 'expires_at', code: 'too_small', message }]);

    const ask = async () =>
      (await request(gateway.url).get('/v1/voice').set('authorization', `Bearer ${key}`)).status;
    expect(await ask()).toBe(200);
    const others = await (await team()).of('owner');
    expect((await others.ask('POST', `${keys}/${id}/revoke`)).status).toBe(404);
    const revoked = await admin.ask('POST', `${keys}/${id}/revoke`);
    expect(revoked.body.data).toMatchObject({ is_active: false, revoked_by: admin.email });
    await eventually(async () => expect(await ask()).toBe(401), { timeoutMs: 1_000 });
    expect(workspace_id).toBeDefined();
  });

  it('a repeated Idempotency-Key returns the same key again, which is stored sealed', async () => {
    const admin = await (await team()).of('admin');
    for (const [path, body] of [
      ['/dashboard/api/keys', { name: 'x', type: 'public' }],
      [MEMBERS, { email: 'again@example.org', role: 'viewer' }],
    ] as const) {
      const ask = () => admin.ask('POST', path, body).set('idempotency-key', 'once');
      const [first, again] = [await ask(), await ask()];
      expect([first.status, again.text, again.headers['idempotent-replayed']]).toEqual([
        201,
        first.text,
        'true',
      ]);
      const rows = await gateway.context.prisma.idempotencyKey.findMany();
      const secret = first.body.data.key ?? first.body.data.invitation_token;
      expect(JSON.stringify(rows)).not.toContain(secret);
      const other = await admin.ask('POST', path, { ...body, x: 1 }).set('idempotency-key', 'once');
      expect([other.status, other.body.error.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    }
  });
});
