import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { INTERNAL_TOKEN_HEADER } from '@parley/kit/http';
import { internalTokens } from '@parley/testkit';
import request from 'supertest';
import { newKey } from '../src/keys/key-format.ts';
import { createWorkspace } from '../src/workspaces/administer.ts';
import { bootGateway, fakeOwner, type Gateway, INTERNAL_SECRET } from './harness.ts';
import { join } from './people.ts';

type Answer = { status: number; items?: object[]; isSilent?: boolean };

const circuit = {
  type: 'number_circuit_open',
  at: '2026-03-14T09:00:00.000Z',
  phone_number_id: randomUUID(),
  phone_number: '+14155550123',
  nickname: null,
  next_probe_at: null,
};
const exhausted = {
  ...{ type: 'webhook_events_exhausted', at: '2026-03-15T09:00:00.000Z', agent_id: randomUUID() },
  ...{ count: 3, call_id: randomUUID(), event: 'call_ended' },
};

let gateway: Gateway;
const answers: Record<'telephony' | 'webhooks', Answer> = {
  telephony: { status: 200, items: [circuit] },
  webhooks: { status: 200, items: [exhausted] },
};
const owners: Awaited<ReturnType<typeof fakeOwner>>[] = [];

/** Reports the items of the test. */
const owner = async (service: 'telephony' | 'webhooks') => {
  const made = await fakeOwner((req, res) => {
    const { status, items = [], isSilent } = answers[service];
    if (req.url !== '/internal/attention') return void res.end('{"success":true}');
    if (isSilent) return;
    res.writeHead(status, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ success: status === 200, data: { items } }));
  });
  owners.push(made);
  return made.url;
};

beforeAll(async () => {
  gateway = await bootGateway({
    TELEPHONY_URL: await owner('telephony'),
    WEBHOOKS_URL: await owner('webhooks'),
  });
});
afterAll(async () => {
  await gateway.stop();
  for (const one of owners) await one.close();
});

const read = (key = gateway.workspace.private_key) =>
  request(gateway.url).get('/v1/attention').set('authorization', `Bearer ${key}`);

describe('GET /v1/attention', () => {
  it('joins what the services report with keys that expire within 14 days, newest first [analytics.10]', async () => {
    const days = (count: number) => new Date(Date.now() + count * 86_400_000);
    const workspace = await createWorkspace(gateway.admin, { name: 'Keys' });
    const add = (name: string, expiresAt: Date | null, of = workspace.workspace_id) =>
      gateway.context.workspaces.addKey(
        of,
        { name, type: 'private', key: newKey('private'), expiresAt },
        { kind: 'operator' },
        async (_tx, key) => key.id,
      );
    const soon = await add('Soon', days(13.9));
    await add('Later', days(14.1));
    await add('Never', null);
    await add('Of another', days(1), gateway.workspace.workspace_id);
    await add('Gone', days(-1));
    const revoked = await add('Revoked', days(1));
    await gateway.context.workspaces.revokeKey(revoked, { kind: 'operator' });
    const { status, body } = await read(workspace.private_key);
    expect(status).toBe(200);
    expect(body.data).toEqual({
      items: [
        { type: 'api_key_expiring', at: expect.any(String), key_id: soon, name: 'Soon' },
        exhausted,
        circuit,
      ],
      // No process listens there.
      unknown_services: ['assistants', 'campaigns'],
    });
  });

  it('a service that fails or is silent is named, and the others are answered within seconds [analytics.11]', async () => {
    answers.webhooks = { status: 503 };
    const failed = await read();
    expect(failed.body.data.unknown_services).toContain('webhooks');
    expect(failed.body.data.items).toContainEqual(circuit);
    answers.webhooks = { status: 200, isSilent: true };
    const began = performance.now();
    const silent = await read();
    expect(performance.now() - began).toBeLessThan(6_000);
    expect([silent.status, silent.body.data.unknown_services]).toEqual([
      200,
      expect.arrayContaining(['webhooks']),
    ]);
    expect(silent.body.data.items).toContainEqual(circuit);
    answers.webhooks = { status: 200, items: [exhausted] };
  });

  it('viewers read it; admins change the name and the time zone, which services read, owners the rest [analytics.13]', async () => {
    const { workspace_id } = gateway.workspace;
    const path = '/dashboard/api/workspace';
    const viewer = await join(gateway, workspace_id, 'viewer');
    expect((await viewer.ask('GET', '/v1/attention')).status).toBe(200);
    expect((await viewer.ask('GET', path)).body.data).toMatchObject({ time_zone: 'UTC', currency: 'USD' });
    const zone = { name: 'Renamed', time_zone: 'Asia/Kathmandu' };
    for (const role of ['viewer', 'developer'] as const)
      expect((await (await join(gateway, workspace_id, role)).ask('PATCH', path, zone)).status).toBe(403);
    const admin = await join(gateway, workspace_id, 'admin');
    const changed = await admin.ask('PATCH', path, zone);
    expect([changed.status, changed.body.data]).toEqual([
      200,
      expect.objectContaining({ ...zone, currency: 'USD' }),
    ]);
    for (const more of [{ retain_calls_days: 30 }, { allowed_destinations: ['+49'] }])
      expect((await admin.ask('PATCH', path, { ...zone, ...more })).status).toBe(403);
    for (const bad of [
      { time_zone: 'Mars/Olympus' },
      { time_zone: '' },
      { name: ' ' },
      { name: 'x'.repeat(256) },
    ])
      expect((await admin.ask('PATCH', path, bad)).status).toBe(422);
    const log = await request(gateway.url)
      .get('/v1/audit-log?action=workspace.changed')
      .set('authorization', `Bearer ${gateway.workspace.private_key}`);
    expect(log.body.data).toMatchObject([
      {
        changes: { name: { from: 'Test', to: 'Renamed' }, time_zone: { from: 'UTC', to: 'Asia/Kathmandu' } },
      },
    ]);
    const token = internalTokens(INTERNAL_SECRET, 'telephony').mint('gateway', {
      workspaceId: workspace_id,
      actor: { kind: 'service', id: 'telephony' },
    });
    const internal = await request(gateway.internalUrl)
      .get(`/internal/workspaces/${workspace_id}`)
      .set(INTERNAL_TOKEN_HEADER, token);
    expect(internal.body.data).toMatchObject({ time_zone: 'Asia/Kathmandu', currency: 'USD' });
  });
});
