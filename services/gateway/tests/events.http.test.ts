import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { DashboardChanges } from '@parley/contracts';
import {
  type AmqpPrefix,
  amqpPrefix,
  amqpUrl,
  type EventStream,
  eventually,
  type FaultProxy,
  faultProxy,
  openEvents,
  type TestBus,
  testBus,
} from '@parley/testkit';
import { requireOfWorkspace } from '../src/people/administer-people.ts';
import { createWorkspace } from '../src/workspaces/administer.ts';
import { bootGateway, bootReplica, type Gateway, type Replica } from './harness.ts';
import { join, type Person } from './people.ts';

// Live updates of the dashboard, from the messages of the broker [dashboard.6].

let gateway: Gateway;
let replica: Replica;
let broker: FaultProxy;
let prefix: AmqpPrefix;
let bus: TestBus;
let workspaceId: string;
let viewer: Person & { email: string };
const open: EventStream[] = [];

beforeAll(async () => {
  broker = await faultProxy(amqpUrl());
  prefix = amqpPrefix();
  bus = await testBus(prefix.prefix);
  const shared = { AMQP_PREFIX: prefix.prefix, REDIS_PREFIX: `events-${process.pid}-${Date.now()}` };
  gateway = await bootGateway({ ...shared, AMQP_URL: broker.url });
  replica = await bootReplica(gateway.database, { ...shared, MAX_EVENT_STREAMS: '12' });
  workspaceId = gateway.workspace.workspace_id;
  viewer = await join(gateway, workspaceId, 'viewer');
  await eventually(async () => expect(broker.connections()).toBeGreaterThan(0));
});

afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});

afterAll(async () => {
  await replica?.stop();
  await gateway?.stop();
  await bus?.close();
  await broker?.close();
  await prefix?.remove();
});

async function listen(person: Person, headers: Record<string, string> = {}, url = gateway.url) {
  const stream = await openEvents(url, { cookie: person.cookie, ...headers });
  open.push(stream);
  if (stream.status === 200) await eventually(() => expect(stream.named('ready')).toHaveLength(1));
  return stream;
}

const change = (id: string, what = 'ringing') => ({
  type: 'call' as const,
  id,
  what,
  at: '2026-03-14T09:26:53.589Z',
});

const note = (ids: readonly string[], of = workspaceId, what = 'ringing') =>
  bus.publish('changes.noted', of, { changes: ids.map((id) => change(id, what)), more: [] });

/** The first received message shows that the queue of the event streams is bound. */
async function settled(stream: EventStream): Promise<void> {
  await eventually(async () => {
    await note([randomUUID()]);
    expect(stream.changes().length).toBeGreaterThan(0);
  });
}

describe('GET /dashboard/api/events [dashboard.6]', () => {
  it('tells a viewer what changed in the workspace, without its content, and nothing of others', async () => {
    const stream = await listen(viewer);
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    await settled(stream);
    const callId = randomUUID();
    const agentId = randomUUID();
    const campaignId = randomUUID();
    await note([randomUUID()], randomUUID(), 'secret');
    await bus.publish('assistant.updated', workspaceId, {
      agent_id: agentId,
      agent_name: 'A secret name',
      version: 2,
      webhook_url: null,
    });
    const campaign = { campaign_id: campaignId, contact_id: randomUUID() };
    await bus.publish('call.dialing', workspaceId, { call_id: callId, campaign });
    await bus.publish('audit.recorded', workspaceId, {
      action: 'key.created',
      actor: { kind: 'operator', id: 'ops', name: null },
      address: null,
      target: { type: 'key', id: randomUUID(), name: 'A secret name' },
      changes: {},
    });
    await eventually(() =>
      expect(stream.changes()).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ type: 'assistant', id: agentId, what: 'updated' }),
          expect.objectContaining({ type: 'call', id: callId, what: 'dialing', campaign_id: campaignId }),
          expect.objectContaining({ type: 'workspace', id: workspaceId, what: 'changed' }),
          expect.objectContaining({ type: 'audit_log', id: workspaceId, what: 'changed' }),
        ]),
      ),
    );
    expect(JSON.stringify(stream.events)).not.toMatch(/secret|key\.created/);
  });

  it('tells of the do-not-call list, and of the audit log with every entry', async () => {
    const stream = await listen(viewer);
    await settled(stream);
    await bus.publish('audit.recorded', workspaceId, {
      action: 'do_not_call_list.added',
      actor: { kind: 'service', id: 'telephony', name: null },
      address: null,
      target: { type: 'do_not_call_list', id: workspaceId, name: null },
      changes: { added: { to: 1 } },
    });
    await eventually(() => {
      const told = stream.changes().map(({ type, id }) => [type, id]);
      expect(told).toContainEqual(['do_not_call', workspaceId]);
      expect(told).toContainEqual(['audit_log', workspaceId]);
      expect(told).not.toContainEqual(['workspace', workspaceId]);
    });
  });

  it("tells of the gateway's own changes of keys, members and settings; not of refused requests and reads", async () => {
    const { workspace_id: id } = await createWorkspace(gateway.admin, { name: 'Own' });
    const owner = await join(gateway, id, 'owner');
    const stream = await listen(owner);
    await eventually(async () => {
      await note([randomUUID()], id);
      expect(stream.changes().length).toBeGreaterThan(0);
    });
    const since = new Date().toISOString();
    const told = () => stream.changes().filter(({ type, at }) => type === 'workspace' && at > since).length;
    expect((await owner.ask('GET', '/dashboard/api/keys')).status).toBe(200);
    expect((await owner.ask('POST', '/dashboard/api/keys', { name: '' })).status).toBe(422);
    expect((await owner.ask('PUT', '/dashboard/api/session', { workspace_id: id })).status).toBe(200);
    await note([randomUUID()], id, 'ended');
    await eventually(() => expect(stream.changes().some(({ what }) => what === 'ended')).toBe(true));
    expect(told()).toBe(0);

    const key = { name: 'New', type: 'private' };
    expect((await owner.ask('POST', '/dashboard/api/keys', key)).status).toBe(201);
    await eventually(() => expect(told()).toBe(1));
    const before = told();
    await join(gateway, id, 'viewer');
    await eventually(() => expect(told()).toBeGreaterThan(before));
    const logged = stream.changes().filter(({ type }) => type === 'audit_log');
    expect(logged[0]).toMatchObject({ id, what: 'changed' });
  });

  it('needs a session, not a key', async () => {
    const authorization = `Bearer ${gateway.workspace.private_key}`;
    expect((await openEvents(gateway.url, { authorization })).status).toBe(403);
    expect((await openEvents(gateway.url, {})).status).toBe(401);
    const head = { method: 'HEAD', headers: { cookie: viewer.cookie } };
    expect((await fetch(`${gateway.url}/dashboard/api/events`, head)).status).toBe(200);
  });

  it('merges what changes often: two batches a second at most, of 100 resources', async () => {
    const stream = await listen(viewer);
    await settled(stream);
    const before = stream.named('changes').length;
    const beganMs = performance.now();
    const ids = Array.from({ length: 300 }, () => randomUUID());
    for (let n = 0; n < 20; n += 1) {
      await note(ids.slice(n * 15, n * 15 + 15));
      await note(ids.slice(n * 15, n * 15 + 15), workspaceId, 'ended');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const last = ids.at(-1) ?? '';
    // A busy machine may note more than 100 at once; the rest is announced by its type.
    await eventually(() =>
      expect(JSON.stringify(stream.events)).toMatch(new RegExp(`${last}|"more":\\["call"`)),
    );
    const seconds = (performance.now() - beganMs) / 1_000;
    const batches = stream.named('changes').slice(before);
    expect(batches.length).toBeLessThanOrEqual(2 * seconds + 2);
    for (const { data } of batches)
      expect((data as DashboardChanges).changes.length).toBeLessThanOrEqual(100);
    const flood = Array.from({ length: 150 }, () => randomUUID());
    await Promise.all([note(flood.slice(0, 75)), note(flood.slice(75))]);
    await eventually(() =>
      expect(
        stream.named('changes').some(({ data }) => (data as DashboardChanges).more.includes('call')),
      ).toBe(true),
    );
  });
});

describe('a stream that was interrupted [dashboard.7]', () => {
  it('continues after its last event, on every replica, and misses nothing', async () => {
    const other = await listen(await join(gateway, workspaceId, 'viewer'), {}, replica.url);
    const stream = await listen(viewer);
    await Promise.all([settled(stream), settled(other)]);
    stream.close();
    const missed = randomUUID();
    await note([missed]);
    await eventually(() => expect(other.changes().map(({ id }) => id)).toContain(missed));
    for (const { url } of [gateway, replica]) {
      const again = await listen(viewer, { 'last-event-id': stream.lastId() }, url);
      await eventually(() => expect(again.changes().map(({ id }) => id)).toContain(missed));
      expect(again.named('reset')).toEqual([]);
    }
  });

  it('is told to read everything again if its last event is too old or unknown', async () => {
    for (const id of ['1', 'of another server', String(Date.now() + 3_600_000)]) {
      const stream = await listen(viewer, { 'last-event-id': id });
      await eventually(() => expect(stream.named('reset')).toHaveLength(1));
    }
  });

  it('ends during an outage of the broker, and is told to read everything again after it [dashboard.9]', async () => {
    const stream = await listen(viewer);
    const elsewhere = await listen(await join(gateway, workspaceId, 'viewer'), {}, replica.url);
    await Promise.all([settled(stream), settled(elsewhere)]);
    broker.cut();
    await eventually(() => expect(stream.isOver()).toBe(true));
    expect(stream.named('end')).toEqual([]);
    const refused = await listen(viewer);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
    const missed = randomUUID();
    await note([missed]);
    await eventually(() => expect(elsewhere.changes().map(({ id }) => id)).toContain(missed));

    broker.restore();
    const again = await eventually(async () => {
      const opened = await listen(viewer, { 'last-event-id': stream.lastId() });
      expect(opened.status).toBe(200);
      return opened;
    });
    await eventually(() => expect(again.named('reset')).toHaveLength(1));
    const later = randomUUID();
    await note([later]);
    await eventually(() => expect(again.changes().map(({ id }) => id)).toContain(later));
  });
});

describe('the end of a stream [dashboard.8]', () => {
  const reasonOf = (stream: EventStream) => stream.named('end').map(({ data }) => data);

  it('comes with the session, another role, and another workspace', async () => {
    const [leaver, changed] = [
      await join(gateway, workspaceId, 'viewer'),
      await join(gateway, workspaceId, 'viewer'),
    ];
    const [left, promoted] = [await listen(leaver), await listen(changed)];
    await leaver.ask('DELETE', '/dashboard/api/session');
    const where = { workspaceId_email: { workspaceId, email: changed.email } };
    await gateway.context.prisma.member.update({ where, data: { role: 'admin' } });
    await eventually(() => {
      expect(reasonOf(left)).toEqual([{ reason: 'session_ended' }]);
      expect(reasonOf(promoted)).toEqual([{ reason: 'role_changed' }]);
      expect([left.isOver(), promoted.isOver()]).toEqual([true, true]);
    });
  });

  it('comes when the workspace requires another way to sign in, and when it is suspended', async () => {
    const { workspace_id: id } = await createWorkspace(gateway.admin, { name: 'Stricter' });
    const stream = await listen(await join(gateway, id, 'viewer'));
    await requireOfWorkspace(gateway.context, id, { secondFactor: true });
    await eventually(() => expect(reasonOf(stream)).toEqual([{ reason: 'not_allowed' }]));
    await requireOfWorkspace(gateway.context, id, { secondFactor: false });
    const other = await listen(await join(gateway, id, 'viewer'));
    await gateway.context.prisma.workspace.update({ where: { id }, data: { suspendedAt: new Date() } });
    await eventually(() => expect(reasonOf(other)).toEqual([{ reason: 'not_allowed' }]));
  });

  it('comes for the oldest of more than ten of a person, and the rest of the process is bounded', async () => {
    const first = await listen(viewer, {}, replica.url);
    for (let n = 0; n < 10; n += 1) await listen(viewer, {}, replica.url);
    await eventually(() => expect(reasonOf(first)).toEqual([{ reason: 'replaced' }]));
    const another = await join(gateway, workspaceId, 'viewer');
    const statuses: number[] = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await listen(another, {}, replica.url)).status);
    expect(statuses).toEqual([200, 200, 503]);
  });

  it('comes when the gateway stops, so that the page connects to another', async () => {
    const stopping = await bootReplica(gateway.database, { AMQP_PREFIX: prefix.prefix });
    const stream = await listen(viewer, {}, stopping.url);
    const beganMs = performance.now();
    await stopping.stop();
    expect(performance.now() - beganMs).toBeLessThan(8_000);
    expect([stream.isOver(), reasonOf(stream)]).toEqual([true, []]);
  });
});
