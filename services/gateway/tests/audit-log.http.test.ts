import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '@parley/kit/db';
import { INTERNAL_TOKEN_HEADER, NO_WORKSPACE } from '@parley/kit/http';
import { realNow, realSleep } from '@parley/kit/time';
import {
  amqpPrefix,
  eventually,
  internalToken,
  internalTokens,
  type TestBus,
  testBus,
} from '@parley/testkit';
import { TOTP } from 'otpauth';
import request from 'supertest';
import { startAuditConsumer } from '../src/audit/consumers.ts';
import { resetPassword } from '../src/people/administer-people.ts';
import {
  createWorkspace,
  rotateWebhookSecret,
  setSuspended,
  setWorkspace,
} from '../src/workspaces/administer.ts';
import { bootGateway, fakeOwner, type Gateway, INTERNAL_SECRET } from './harness.ts';
import { join, PASSWORD, type Person } from './people.ts';

// The audit log [trust.17]: changes of the gateway itself, and those that other services publish.

let gateway: Gateway;
let owner: Awaited<ReturnType<typeof fakeOwner>>;
let bus: TestBus;
let person: Person & { email: string };
let workspaceId: string;
const { prefix, remove } = amqpPrefix();

beforeAll(async () => {
  owner = await fakeOwner((_req, res) => res.end('{"success":true}'));
  gateway = await bootGateway({
    AMQP_PREFIX: prefix,
    TELEPHONY_URL: owner.url,
    TRUSTED_PROXIES: '127.0.0.1',
    RATE_LIMIT_BURST: '600',
  });
  bus = await testBus(prefix);
  startAuditConsumer(gateway.context);
  workspaceId = gateway.workspace.workspace_id;
  person = await join(gateway, workspaceId, 'owner');
});

afterAll(async () => {
  await bus.close();
  await gateway.stop();
  await owner.close();
  await remove();
});

const read = (query = '', key = gateway.workspace.private_key) =>
  request(gateway.url).get(`/v1/audit-log${query}`).set('authorization', `Bearer ${key}`);

const asService = () =>
  internalToken(INTERNAL_SECRET, 'gateway', {
    workspaceId: NO_WORKSPACE,
    actor: { kind: 'service', id: 'telephony' },
  });

const record = {
  action: 'phone_number.deleted',
  address: '192.0.2.7',
  changes: { is_active: { from: true } },
};
const target = { type: 'phone_number', id: randomUUID(), name: '+14155550100' };

describe('changes of the gateway itself', () => {
  it('are recorded with actor, address, time and change, and without secrets', async () => {
    const made = await person
      .ask('POST', '/dashboard/api/keys', { name: 'Billing', type: 'private' })
      .set('x-forwarded-for', '203.0.113.9')
      .set('x-request-id', 'make-a-key');
    expect(made.status).toBe(201);
    const { id, key } = made.body.data;
    await person.ask('POST', `/dashboard/api/keys/${id}/revoke`);
    await person.ask('POST', `/dashboard/api/keys/${id}/revoke`);
    const { body } = await read(`?target=${id}`);
    const actor = { kind: 'member', id: expect.any(String), name: person.email };
    expect(body.data).toEqual([
      expect.objectContaining({ action: 'key.revoked', actor, target: { type: 'key', id, name: 'Billing' } }),
      {
        id: expect.any(String),
        at: expect.any(String),
        action: 'key.created',
        actor,
        address: '203.0.113.9',
        request_id: 'make-a-key',
        target: { type: 'key', id, name: 'Billing' },
        changes: { type: { to: 'private' }, prefix: { to: expect.any(String) } },
      },
    ]);
    expect(body.pagination).toEqual({ total: 2, count: 2, next_cursor: null });
    expect(JSON.stringify(body)).not.toContain(key);
  });

  it('are recorded for members, limits and the webhook secret too, with the operator as the actor', async () => {
    const by = { kind: 'operator', user: 'ada' } as const;
    await setWorkspace(gateway.admin, workspaceId, { rateCents: 12 }, by);
    await setWorkspace(gateway.admin, workspaceId, { rateCents: 12 }, by);
    const rotated = await rotateWebhookSecret(gateway.admin, workspaceId, by);
    const { body: invited } = await person.ask('POST', '/dashboard/api/members', {
      email: 'grace@example.org',
      role: 'viewer',
    });
    const member = invited.data.id;
    await person.ask('PATCH', `/dashboard/api/members/${member}`, { role: 'admin' });
    await person.ask('DELETE', `/dashboard/api/members/${member}`);
    const { body, text } = await read('?limit=5');
    expect(
      body.data.map((entry: { action: string; changes: object }) => [entry.action, entry.changes]),
    ).toEqual([
      ['member.removed', {}],
      ['member.role_changed', { role: { from: 'viewer', to: 'admin' } }],
      ['member.invited', { role: { to: 'viewer' } }],
      ['webhook_secret.rotated', expect.objectContaining({ secret: { to: '********' } })],
      ['workspace.limits_changed', { rate_cents: { from: 10, to: 12 } }],
    ]);
    expect(body.data[4].actor).toEqual({ kind: 'operator', id: 'ada', name: null });
    expect(text).not.toContain(rotated.webhook_secret);
    expect(text).not.toContain(invited.data.invitation_token);
  });

  it("of a person's own account are recorded in each of their workspaces", async () => {
    const { workspace_id: id, private_key } = await createWorkspace(gateway.admin, { name: 'Own' });
    const own = await join(gateway, id, 'owner');
    const context = { ...gateway.context, workspaceId: id };
    const password = 'another long password';
    const change = { current_password: PASSWORD, new_password: password };
    expect((await own.ask('PUT', '/dashboard/api/password', change)).status).toBe(204);
    const factor = '/dashboard/api/second-factor';
    const { secret } = (await own.ask('POST', factor, { password })).body.data;
    const timestamp = realNow().getTime();
    const { body: enabled } = await own.ask('POST', `${factor}/confirm`, {
      code: new TOTP({ secret }).generate({ timestamp }),
    });
    const [code] = enabled.data.recovery_codes;
    expect((await own.ask('POST', `${factor}/disable`, { password, code })).status).toBe(204);
    const by = { kind: 'operator', user: 'ada' } as const;
    await resetPassword(context, { email: own.email, workspaceId: id }, by);
    const { body, text } = await read('?action=member&limit=4', private_key);
    const entries = body.data.map((entry: { action: string; actor: { kind: string } }) => [
      entry.action,
      entry.actor.kind,
    ]);
    expect(entries).toEqual([
      ['member.password_changed', 'operator'],
      ['member.second_factor_disabled', 'member'],
      ['member.second_factor_enabled', 'member'],
      ['member.password_changed', 'member'],
    ]);
    expect(body.data[1]).toMatchObject({ target: { type: 'member', name: own.email }, address: '127.0.0.1' });
    expect(text).not.toContain(secret);
  });

  it('are not recorded if they are refused or rolled back', async () => {
    const admin = await join(gateway, workspaceId, 'admin');
    const { body: before } = await read();
    const refused = await admin.ask('POST', '/dashboard/api/members', {
      email: 'o@example.org',
      role: 'owner',
    });
    expect(refused.status).toBe(403);
    expect((await read()).body.pagination.total).toBe(before.pagination.total);
  });
});

describe('changes of other services', () => {
  it('are stored once with the name of the key, however often the message arrives', async () => {
    const { id: key } = (await person.ask('POST', '/dashboard/api/keys', { name: 'CI', type: 'private' }))
      .body.data;
    const data = { ...record, target, actor: { kind: 'key' as const, id: key, name: null } };
    const occurred_at = new Date().toISOString();
    const id = await bus.publish('audit.recorded', workspaceId, data, { occurred_at, request_id: 'r-1' });
    await bus.publish('audit.recorded', workspaceId, data, { id, occurred_at, request_id: 'r-1' });
    const last = await bus.publish('audit.recorded', workspaceId, data);
    await eventually(async () => expect((await read(`?target=${target.id}`)).body.pagination.total).toBe(2));
    const { body } = await read(`?target=${target.id}&actor=${key}&action=phone_number`);
    expect(body.data.map((entry: { id: string }) => entry.id)).toEqual([last, id]);
    expect(body.data[1]).toEqual({
      ...record,
      id,
      at: occurred_at,
      target,
      actor: { kind: 'key', id: key, name: 'CI' },
      request_id: 'r-1',
    });
    expect((await read(`?actor=${key}&action=phone_number.deleted&limit=1`)).body.pagination).toEqual({
      total: 2,
      count: 1,
      next_cursor: '1',
    });
    expect((await read(`?target=${target.id}&to=2026-01-01T00:00:00Z`)).body.data).toEqual([]);
    expect(await bus.deadLetters('gateway.audit')).toEqual([]);
  });

  it('are stored with the e-mail address of a member whose request is not the change', async () => {
    const member = await gateway.context.members.find(workspaceId, person.email);
    const actor = { kind: 'member' as const, id: member?.id ?? '', name: null };
    const own = { ...target, id: member?.id ?? '' };
    await bus.publish('audit.recorded', workspaceId, { ...record, target: own, actor });
    await eventually(async () => {
      const { body } = await read(`?target=${own.id}&actor=${person.email}&action=${record.action}`);
      expect(body.data).toEqual([expect.objectContaining({ actor: { ...actor, name: person.email } })]);
    });
  });

  it('the internal token carries the actor and the client address', async () => {
    await person.ask('GET', '/v1/do-not-call').set('x-forwarded-for', '203.0.113.9, 127.0.0.1');
    await request(gateway.url)
      .get('/v1/do-not-call')
      .set('authorization', `Bearer ${gateway.workspace.private_key}`)
      .set('x-forwarded-for', '198.51.100.4');
    const [byPerson, byKey] = owner.seen
      .slice(-2)
      .map(({ headers }) =>
        internalTokens(INTERNAL_SECRET, 'telephony').verify(String(headers[INTERNAL_TOKEN_HEADER])),
      );
    expect(byPerson).toMatchObject({
      address: '203.0.113.9',
      actor: { kind: 'member', email: person.email },
    });
    expect(byKey).toMatchObject({ address: '198.51.100.4', actor: { kind: 'key' } });
  });
});

describe('reading', () => {
  it('requires an admin, an owner or a private key, and shows no other workspace [trust.18]', async () => {
    const path = '/v1/audit-log';
    expect((await person.ask('GET', path)).status).toBe(200);
    const developer = await join(gateway, workspaceId, 'developer');
    expect((await developer.ask('GET', path)).status).toBe(403);
    expect((await read('', gateway.workspace.public_key)).status).toBe(403);
    const other = await createWorkspace(gateway.admin, { name: 'Other' });
    const { body } = await read('', other.private_key);
    expect(body.data.map((entry: { action: string }) => entry.action)).toEqual(['workspace.created']);
    expect((await read('?from=yesterday')).status).toBe(422);
  });
});

describe('settings of the workspace [trust.22]', () => {
  const PATH = '/dashboard/api/workspace';

  it('are read by members and changed by owners, and every change is recorded', async () => {
    const changes = { allowed_destinations: ['+49'], daily_spend_limit_cents: 500 };
    const changed = await person.ask('PATCH', PATH, changes);
    expect([changed.status, changed.body.data]).toEqual([200, expect.objectContaining(changes)]);
    const admin = await join(gateway, workspaceId, 'admin');
    expect((await admin.ask('PATCH', PATH, { daily_spend_limit_cents: null })).status).toBe(403);
    expect((await admin.ask('GET', PATH)).body.data).toMatchObject({ workspace_id: workspaceId, ...changes });
    for (const bad of [{ allowed_destinations: ['49'] }, { daily_spend_limit_cents: -1 }])
      expect((await person.ask('PATCH', PATH, bad)).status).toBe(422);
    const { body } = await read('?limit=2&action=workspace');
    expect(body.data[0].changes).toEqual({
      allowed_destinations: { from: [], to: ['+49'] },
      daily_spend_limit_cents: { from: null, to: 500 },
    });
    const internal = await request(gateway.internalUrl)
      .get(`/internal/workspaces/${workspaceId}`)
      .set(INTERNAL_TOKEN_HEADER, asService());
    expect(internal.body.data).toMatchObject({ suspended: false, ...changes });
    await person.ask('PATCH', PATH, { allowed_destinations: [], daily_spend_limit_cents: null });
  });
});

describe('a suspended workspace [trust.24]', () => {
  it('is refused with 403 within a second, by keys and sessions; people sign out and see their memberships', async () => {
    const { workspace_id: id, private_key, public_key } = await createWorkspace(gateway.admin, { name: 'S' });
    const member = await join(gateway, id, 'owner');
    const ask = (key: string, method: 'get' | 'post', path: string) =>
      request(gateway.url)[method](path).set('authorization', `Bearer ${key}`);
    expect((await ask(private_key, 'get', '/v1/do-not-call')).status).toBe(200);
    await setSuspended(gateway.admin, id, true, { kind: 'operator', user: 'ada' });
    await realSleep(1_000);
    for (const answer of [
      await ask(private_key, 'get', '/v1/do-not-call'),
      await ask(private_key, 'get', '/v1/audit-log'),
      await ask(public_key, 'post', '/widget/call'),
      await member.ask('GET', '/dashboard/api/keys'),
      await member.ask('GET', '/v1/do-not-call'),
    ])
      expect([answer.status, answer.body.error.code, answer.body.error.message]).toEqual([
        403,
        'FORBIDDEN',
        expect.stringContaining('suspended'),
      ]);
    const who = await member.ask('GET', '/dashboard/api/session');
    expect([who.status, who.body.data.workspaces.length]).toEqual([200, 1]);
    const found = await request(gateway.internalUrl)
      .post('/internal/workspaces/suspended')
      .set(INTERNAL_TOKEN_HEADER, asService())
      .send({ workspace_ids: [id, workspaceId] });
    expect(found.body.data).toEqual({ suspended: [id] });
    const leaving = await createWorkspace(gateway.admin, { name: 'Leaving' });
    const { workspace_id: gone } = leaving;
    await gateway.context.prisma.workspace.update({ where: { id: gone }, data: { deletedAt: new Date() } });
    const asked = request(gateway.internalUrl)
      .post('/internal/workspaces/suspended')
      .set(INTERNAL_TOKEN_HEADER, asService())
      .send({ workspace_ids: [gone, workspaceId] });
    expect((await asked).body.data).toEqual({ suspended: [gone] });
    const settings = request(gateway.internalUrl)
      .get(`/internal/workspaces/${gone}`)
      .set(INTERNAL_TOKEN_HEADER, asService());
    expect((await settings).body.data.suspended).toBe(true);
    await setSuspended(gateway.admin, id, false, { kind: 'operator', user: 'ada' });
    await realSleep(1_000);
    expect((await ask(private_key, 'get', '/v1/do-not-call')).status).toBe(200);
    const { body } = await read('?action=workspace', private_key);
    expect(body.data.map((entry: { action: string }) => entry.action)).toEqual([
      'workspace.resumed',
      'workspace.suspended',
      'workspace.created',
    ]);
    expect((await member.ask('DELETE', '/dashboard/api/session')).status).toBe(204);
  });
});

describe('the audit table', () => {
  it('refuses changes and deletions; entries are removed only when they are older than the retention', async () => {
    const { prisma, auditLog, clock } = gateway.context;
    for (const change of [
      sql`UPDATE audit_log SET action = 'x'`,
      sql`DELETE FROM audit_log`,
      sql`TRUNCATE audit_log`,
    ])
      await expect(prisma.$executeRaw(change)).rejects.toThrow('the audit log is append-only');
    const { total } = (await read()).body.pagination;
    const aged = { ...record, target, actor: { kind: 'service' as const, id: 'telephony', name: null } };
    const at = new Date(clock.now().getTime() - 401 * 86_400_000).toISOString();
    await bus.publish('audit.recorded', workspaceId, aged, { occurred_at: at });
    await eventually(async () => expect((await read()).body.pagination.total).toBe(total + 1));
    expect(await auditLog.removeBefore(new Date(clock.now().getTime() - 400 * 86_400_000))).toBe(false);
    expect((await read()).body.pagination.total).toBe(total);
  });
});
