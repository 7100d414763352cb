import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { INTERNAL_TOKEN_HEADER } from '@parley/kit/http';
import { realSleep } from '@parley/kit/time';
import { internalTokensOfPeers } from '@parley/testkit';
import request from 'supertest';
import { changeKey } from '../src/keys/manage-keys.ts';
import { createWorkspace, listUsage, setWorkspace } from '../src/workspaces/administer.ts';
import { measureStorage } from '../src/workspaces/measure-storage.ts';
import {
  bootGateway,
  bootReplica,
  fakeOwner,
  type Gateway,
  INTERNAL_SECRET,
  type Replica,
} from './harness.ts';
import { createKey, join, type Person } from './people.ts';

const OPERATOR = { kind: 'operator' } as const;

let gateway: Gateway;
let replica: Replica;
let owner: Awaited<ReturnType<typeof fakeOwner>>;
/** Assistants that exist for every caller. */
const agents: string[] = [randomUUID(), randomUUID()];

/** Counts by workspace in each of the four services. */
const stored = new Map<string, number>();

beforeAll(async () => {
  owner = await fakeOwner((req, res, body) => {
    res.setHeader('content-type', 'application/json');
    if (req.url === '/internal/stored-bytes') {
      const workspaces = [...stored].map(([workspace_id, bytes]) => ({ workspace_id, bytes }));
      const data = { total: 7_000_000, workspaces };
      return res.end(JSON.stringify({ success: true, data }));
    }
    if (req.url !== '/internal/assistants/briefs') return res.end('{}');
    const asked: string[] = JSON.parse(body.toString()).agent_ids;
    const data = asked
      .filter((id) => agents.includes(id))
      .map((agent_id) => ({ agent_id, agent_name: 'Ada', version: 1, webhook_url: null }));
    res.end(JSON.stringify({ success: true, data }));
  });
  const env = {
    TELEPHONY_URL: owner.url,
    ASSISTANTS_URL: owner.url,
    CAMPAIGNS_URL: owner.url,
    WEBHOOKS_URL: owner.url,
    TRUSTED_PROXIES: '127.0.0.0/8',
    REDIS_PREFIX: `test-public-keys-${process.pid}`,
  };
  gateway = await bootGateway(env);
  replica = await bootReplica(gateway.database, env);
});

afterAll(async () => {
  await replica.stop();
  await gateway.stop();
  await owner.close();
});

const newWorkspace = () => createWorkspace(gateway.admin, { name: 'Shop' });

type Sent = {
  key: string;
  path?: string;
  method?: 'get' | 'post';
  from?: string;
  origin?: string;
  at?: string;
};

const send = ({
  key,
  path = '/widget/call',
  method = 'post',
  from = '198.51.100.1',
  origin,
  at = gateway.url,
}: Sent) =>
  request(at)
    [method](path)
    .set({
      authorization: `Bearer ${key}`,
      'x-forwarded-for': from,
      ...(origin === undefined ? {} : { origin }),
    });

const statuses = async (times: number, sent: (i: number) => Sent) => {
  const answers = [];
  for (let i = 0; i < times; i += 1) answers.push((await send(sent(i))).status);
  return answers;
};

describe('the limits of a public key [trust.8]', () => {
  it("140 refused requests of a public key use nothing of the private key's limit", async () => {
    const { private_key, public_key } = await newWorkspace();
    const refused = await statuses(140, () => ({ key: public_key, path: '/v1/voice', method: 'get' }));
    expect(new Set(refused)).toEqual(new Set([403, 429]));
    const answer = await send({ key: private_key, path: '/v1/voice', method: 'get' });
    expect([answer.status, answer.headers['x-ratelimit-remaining']]).toEqual([200, '99']);
    // It takes nothing from the calls of the page either.
    expect((await send({ key: public_key })).status).toBe(200);
  });

  it('13 calls of the widget use nothing of the limit of POST /v2/call/web', async () => {
    const { private_key, public_key } = await newWorkspace();
    await statuses(13, () => ({ key: public_key }));
    const own = await statuses(10, () => ({ key: private_key, path: '/v2/call/web' }));
    expect(own.filter((status) => status !== 200)).toEqual([]);
  });

  it('calls_per_minute_per_address limits one address, calls_per_minute all', async () => {
    const { workspace_id } = await newWorkspace();
    const { key } = await createKey(gateway.admin, {
      workspaceId: workspace_id,
      name: 'Shop',
      type: 'public',
      expiresAt: null,
      settings: { calls_per_minute: 6, calls_per_minute_per_address: 2 },
    });
    expect(await statuses(4, () => ({ key }))).toEqual([200, 200, 429, 429]);
    const others = await statuses(6, (i) => ({ key, from: `198.51.100.${i + 10}` }));
    expect(others).toEqual([200, 200, 200, 200, 429, 429]);
    // All addresses of an IPv6 network count as one.
    const { key: other } = await createKey(gateway.admin, {
      workspaceId: workspace_id,
      name: 'Another',
      type: 'public',
      expiresAt: null,
      settings: { calls_per_minute_per_address: 2 },
    });
    expect(await statuses(3, (i) => ({ key: other, from: `2001:db8::${i + 1}` }))).toEqual([200, 200, 429]);
  });
});

describe('allowed_origins [trust.7]', () => {
  const shop = 'https://shop.example.com';
  let key: string;
  beforeAll(async () => {
    const { workspace_id: workspaceId } = await newWorkspace();
    const settings = { allowed_origins: [shop, 'https://*.example.org'], calls_per_minute_per_address: 4 };
    ({ key } = await createKey(gateway.admin, {
      workspaceId,
      name: 'Shop',
      type: 'public',
      expiresAt: null,
      settings,
    }));
  });

  it('403 for another or a missing origin, which does not count against the limit of its own pages', async () => {
    for (const origin of [
      undefined,
      'https://evil.example',
      'null',
      'http://shop.example.com',
      'https://example.org',
    ]) {
      const answer = await send({ key, ...(origin === undefined ? {} : { origin }) });
      expect([origin, answer.status]).toEqual([origin, origin === 'https://example.org' ? 429 : 403]);
      // A rejected page can read the reason.
      expect(answer.headers['access-control-allow-origin']).toBe('*');
    }
    for (const origin of [shop, shop, 'https://a.example.org', 'https://a.b.example.org'])
      expect([origin, (await send({ key, origin })).status]).toEqual([origin, 200]);
  });

  it('a preflight carries no key, so it is answered for every origin', async () => {
    const { status, headers } = await request(gateway.url)
      .options('/widget/call')
      .set({ origin: 'https://evil.example', 'access-control-request-method': 'POST' });
    expect([status, headers['access-control-allow-origin']]).toEqual([204, '*']);
  });
});

describe('the storage quota [trust.6]', () => {
  it('refuses calls of public keys and uploads beyond it, and nothing else', async () => {
    const { workspace_id, private_key, public_key } = await newWorkspace();
    const measure = () => measureStorage(gateway.context);
    stored.set(workspace_id, 1_000_001);
    expect(await measure()).toMatchObject({
      bytes: { telephony: 7_000_000 },
      largest: [{ workspace: workspace_id, bytes: 4_000_004 }],
      overQuota: 0,
    });
    await setWorkspace(gateway.admin, workspace_id, { maxStoredMb: 4 });
    const base = `/v1/knowledge-base/${randomUUID()}/documents`;
    const uploads = ['/v1/campaigns', `/v1/campaigns/${randomUUID()}/contacts`, base];
    uploads.push('/v1/assistant', '/v1/tool/custom');
    const others = ['/v2/call', '/v2/call/web', '/v2/call/list'];
    const ask = (path: string, key = private_key) => send({ key, path });
    await measure();
    await realSleep(1_000);
    for (const path of uploads) {
      const { status, body } = await ask(path);
      expect([path, status, body.error?.message]).toEqual([path, 403, expect.stringContaining('5 MB')]);
    }
    const { status, body } = await ask('/widget/call', public_key);
    // Visitors learn no figures.
    expect([status, body.error?.message]).toEqual([403, 'This workspace has reached its storage quota']);
    for (const path of [...others, '/widget/call'])
      expect([path, (await ask(path)).status]).toEqual([path, 200]);
    expect(await measure()).toMatchObject({ overQuota: 1 });
    expect(await listUsage(gateway.admin, { workspace: workspace_id, top: 1 })).toMatchObject([
      { workspace_id, stored_mb: 5, max_stored_mb: 4 },
    ]);
    stored.delete(workspace_id);
    await measure();
    await realSleep(1_000);
    for (const path of uploads) expect([path, (await ask(path)).status]).toEqual([path, 200]);
    expect((await ask('/widget/call', public_key)).status).toBe(200);
  });
});

describe('the restrictions in the internal token', () => {
  const tokenOf = () => {
    const { headers } = owner.seen.at(-1) ?? {};
    return internalTokensOfPeers(INTERNAL_SECRET, ['telephony', 'assistants']).verify(
      String(headers?.[INTERNAL_TOKEN_HEADER]),
    );
  };

  it('contains the limits of a public key, completed with the defaults', async () => {
    const { workspace_id: workspaceId, public_key } = await newWorkspace();
    await send({ key: public_key });
    expect(tokenOf().actor).toMatchObject({
      kind: 'public_key',
      scope: { webCalls: { maxLiveCalls: 10, maxDurationSeconds: 900 } },
    });
    const settings = {
      agent_ids: [...agents],
      max_live_calls: 3,
      max_call_duration: 60,
      variables: ['name'],
    };
    const made = await createKey(gateway.admin, {
      workspaceId,
      name: 'Shop',
      type: 'public',
      expiresAt: null,
      settings,
    });
    await send({ key: made.key });
    expect(tokenOf().actor.scope).toEqual({
      agentIds: agents,
      webCalls: { maxLiveCalls: 3, maxDurationSeconds: 60, variables: ['name'] },
    });
  });

  it('contains nothing where a key is not limited', async () => {
    await send({ key: gateway.workspace.private_key, path: '/v1/voice', method: 'get' });
    expect(tokenOf().actor).not.toHaveProperty('scope');
  });
});

describe('PATCH /dashboard/api/keys/{id} [trust.10]', () => {
  let someone: Person | undefined;

  it('changes the sent fields, on every replica within a second; null restores the default', async () => {
    const { workspace_id } = await newWorkspace();
    const admin = await join(gateway, workspace_id, 'admin');
    const path = '/dashboard/api/keys';
    const created = await admin.ask('POST', path, {
      name: 'Shop',
      type: 'public',
      allowed_origins: ['https://Shop.example.com/'],
      agent_ids: [agents[0]],
      max_live_calls: 5,
    });
    expect(created.status).toBe(201);
    const { key, id } = created.body.data;
    expect(created.body.data).toMatchObject({
      allowed_origins: ['https://shop.example.com'],
      agent_ids: [agents[0]],
      calls_per_minute: 60,
      calls_per_minute_per_address: 20,
      max_live_calls: 5,
      max_call_duration: 900,
      variables: null,
      read_only: false,
      allowed_networks: null,
    });
    expect((await send({ key, at: replica.url })).status).toBe(403);
    const changed = await admin.ask('PATCH', `${path}/${id}`, {
      name: 'Every shop',
      allowed_origins: null,
      variables: [],
      max_live_calls: null,
    });
    expect(changed.body.data).toMatchObject({
      name: 'Every shop',
      allowed_origins: null,
      variables: [],
      max_live_calls: 10,
      agent_ids: [agents[0]],
    });
    await realSleep(1_000);
    expect((await send({ key, at: replica.url })).status).toBe(200);
    const listed = await admin.ask('GET', `${path}?limit=1`);
    expect(listed.body.pagination).toMatchObject({ total: 3, count: 1 });
    const [entry] = await gateway.context.prisma.auditLogEntry.findMany({
      where: { targetId: id, action: 'key.changed' },
    });
    expect(entry?.changes).toEqual({
      name: { from: 'Shop', to: 'Every shop' },
      allowed_origins: { from: ['https://shop.example.com'], to: null },
      variables: { from: null, to: [] },
      max_live_calls: { from: 5, to: null },
    });
    const { key: _key, last_used_at: _at, ...shown } = changed.body.data;
    expect(listed.body.data[0]).toMatchObject(shown);
    expect(listed.text).not.toContain(key);
  });

  it('keeps both of two concurrent changes', async () => {
    const { workspace_id: workspaceId } = await newWorkspace();
    const { id } = await createKey(gateway.admin, {
      workspaceId,
      name: 'Shop',
      type: 'public',
      expiresAt: null,
    });
    await Promise.all([
      changeKey(gateway.admin, { id, by: OPERATOR, settings: { calls_per_minute: 1 } }),
      changeKey(replica.admin, { id, by: OPERATOR, settings: { max_live_calls: 1 } }),
    ]);
    const key = await changeKey(gateway.admin, { id, by: OPERATOR, settings: {} });
    expect(key).toMatchObject({ calls_per_minute: 1, max_live_calls: 1 });
  });

  it.each([
    ['public', { read_only: true }, 'read_only', 'not_allowed'],
    ['public', { allowed_networks: ['10.0.0.0/8'] }, 'allowed_networks', 'not_allowed'],
    ['private', { allowed_origins: ['https://a.example'] }, 'allowed_origins', 'not_allowed'],
    ['private', { max_live_calls: 1 }, 'max_live_calls', 'not_allowed'],
    ['private', { allowed_networks: ['10.0.0.0/33'] }, 'allowed_networks.0', 'invalid_format'],
    ['public', { allowed_origins: [] }, 'allowed_origins', 'too_small'],
    ['public', { allowed_origins: ['https://a.example/page'] }, 'allowed_origins.0', 'not_allowed'],
    ['public', { agent_ids: [randomUUID()] }, 'agent_ids.0', 'unknown_id'],
    ['public', { calls_per_minute: 0 }, 'calls_per_minute', 'too_small'],
    ['public', { variables: [''] }, 'variables.0', 'too_small'],
  ])('422 for a %s key with %j', async (type, settings, path, code) => {
    someone ??= await join(gateway, gateway.workspace.workspace_id, 'admin');
    const answer = await someone.ask('POST', '/dashboard/api/keys', { name: 'K', type, ...settings });
    expect([answer.status, answer.body.error.details[0]]).toMatchObject([422, { path, code }]);
  });

  it('409 for a revoked key, 404 for one of another workspace, 422 for an empty change', async () => {
    const { workspace_id } = await newWorkspace();
    const admin = await join(gateway, workspace_id, 'admin');
    const path = '/dashboard/api/keys';
    const [first] = (await admin.ask('GET', path)).body.data;
    expect((await admin.ask('GET', `${path}/${first.id}`)).body.data).toEqual(first);
    expect((await admin.ask('PATCH', `${path}/${first.id}`, {})).status).toBe(422);
    await admin.ask('POST', `${path}/${first.id}/revoke`);
    expect((await admin.ask('PATCH', `${path}/${first.id}`, { name: 'Late' })).status).toBe(409);
    const other = await join(gateway, gateway.workspace.workspace_id, 'admin');
    expect((await other.ask('GET', `${path}/${first.id}`)).status).toBe(404);
    expect((await other.ask('PATCH', `${path}/${first.id}`, { name: 'Mine' })).status).toBe(404);
  });
});
