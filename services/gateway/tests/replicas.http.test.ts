import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { realSleep } from '@parley/kit/time';
import { eventually } from '@parley/testkit';
import request from 'supertest';
import { createWorkspace, setSuspended, setWorkspace } from '../src/workspaces/administer.ts';
import { bootGateway, bootReplica, fakeOwner, type Gateway, type Replica } from './harness.ts';
import { createKey, fillWorkspace, join, waiting } from './people.ts';

let gateway: Gateway;
let replicas: Replica[];
let owner: Awaited<ReturnType<typeof fakeOwner>>;

beforeAll(async () => {
  owner = await fakeOwner((_req, res) => res.end('{}'));
  const settings = {
    ASSISTANTS_URL: owner.url,
    RATE_LIMIT_BURST: '600',
    REDIS_PREFIX: `replicas-${process.pid}-${Date.now()}`,
  };
  gateway = await bootGateway(settings);
  replicas = [
    gateway,
    await bootReplica(gateway.database, settings),
    await bootReplica(gateway.database, settings),
  ];
});

afterAll(async () => {
  for (const replica of replicas.slice(1)) await replica.stop();
  await gateway.stop();
  await owner.close();
});

describe('three replicas', () => {
  const path = '/v1/voice';

  /** The maximum time after `end` during which a replica still accepted the key. */
  async function lastLetIn(
    ask: (url: string) => Promise<number>,
    end: () => Promise<unknown>,
    refusal = 401,
  ) {
    // Each has just read the key, so that its cached entry is as new as possible.
    expect(await Promise.all(replicas.map(({ url }) => ask(url)))).toEqual([200, 200, 200]);
    await end();
    const endedAt = performance.now();
    const last = async ({ url }: Replica): Promise<number> => {
      let lastMs = 0;
      while (performance.now() - endedAt < 1_300) {
        const startedMs = performance.now() - endedAt;
        if ((await ask(url)) === 200) lastMs = startedMs;
        // Stays below the rate limit on a fast machine.
        await realSleep(10);
      }
      expect(await ask(url)).toBe(refusal);
      return lastMs;
    };
    return Math.max(...(await Promise.all(replicas.map(last))));
  }

  it('reject a revoked key within a second [access.4]', async () => {
    const input = {
      workspaceId: gateway.workspace.workspace_id,
      type: 'private',
      name: 'x',
      expiresAt: null,
    };
    const { id, key } = await createKey(gateway.admin, input as Parameters<typeof createKey>[1]);
    const ask = async (url: string) =>
      (await request(url).get(path).set('authorization', `Bearer ${key}`)).status;
    const { workspaces } = gateway.context;
    expect(await lastLetIn(ask, () => workspaces.revokeKey(id, { kind: 'operator' }))).toBeLessThan(1_000);
  });

  it('refuse the keys of a suspended workspace within a second, and accept them again within a second [trust.24]', async () => {
    const workspace = await createWorkspace(gateway.admin, { name: 'Suspended' });
    const ask = async (url: string) =>
      (await request(url).get(path).set('authorization', `Bearer ${workspace.private_key}`)).status;
    const suspend = (suspended: boolean) =>
      setSuspended(gateway.admin, workspace.workspace_id, suspended, { kind: 'operator' });
    expect(await lastLetIn(ask, () => suspend(true), 403)).toBeLessThan(1_000);
    await suspend(false);
    await realSleep(1_100);
    expect(await Promise.all(replicas.map(({ url }) => ask(url)))).toEqual([200, 200, 200]);
  });

  it('refuse the keys of a workspace that is being deleted within a second, even active ones [trust.25]', async () => {
    const { workspace_id: id, private_key } = await createWorkspace(gateway.admin, { name: 'Deleted' });
    const ask = async (url: string) =>
      (await request(url).get(path).set('authorization', `Bearer ${private_key}`)).status;
    const begin = () =>
      gateway.context.prisma.workspace.update({ where: { id }, data: { deletedAt: new Date() } });
    expect(await lastLetIn(ask, begin)).toBeLessThan(1_000);
  });

  it('reject a session that has signed out within a second [access.6]', async () => {
    const person = await join(gateway, gateway.workspace.workspace_id, 'developer');
    const ask = async (url: string) =>
      (await person.ask('GET', '/dashboard/api/session', undefined, url)).status;
    const end = () => person.ask('DELETE', '/dashboard/api/session');
    expect(await lastLetIn(ask, async () => end())).toBeLessThan(1_000);
  });

  it('lock workspaces in one order when they record storage', async () => {
    const { prisma, workspaces } = gateway.context;
    const ids: string[] = [];
    for (const name of ['A', 'B']) ids.push((await createWorkspace(gateway.admin, { name })).workspace_id);
    const [first = '', second = ''] = ids;
    // The first one's row now comes after the second one's.
    await setWorkspace(gateway.admin, first, { requestsPerMinute: 700 });
    const { recorded } = await prisma.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM workspaces WHERE id = ${first}::uuid FOR UPDATE`;
      const stored = new Map(ids.map((id) => [id, 5_000_000]));
      const recorded = replicas[1]?.context.workspaces.recordStored(stored);
      await eventually(async () => expect(await waiting(gateway)).toBe(1));
      await tx.$queryRaw`SELECT 1 FROM workspaces WHERE id = ${second}::uuid FOR UPDATE NOWAIT`;
      return { recorded };
    });
    await recorded;
    const rows = await prisma.workspace.findMany({ where: { id: { in: ids } } });
    expect(rows.map(({ storedMb }) => storedMb)).toEqual([5, 5]);
    await workspaces.recordStored(new Map());
  });

  it('add 1,000 members and invitations to a workspace together, and not one more [access.5]', async () => {
    const { prisma } = gateway.context;
    const { workspace_id } = await createWorkspace(gateway.admin, { name: 'Full' });
    const owner = await join(gateway, workspace_id, 'owner');
    await fillWorkspace(gateway, workspace_id, 996);
    const inviteFrom = (replica: Replica | undefined, email: string) =>
      owner
        .ask('POST', '/dashboard/api/members', { email, role: 'viewer' }, replica?.url)
        .then(({ status, body }) => ({ status, email, code: body.error?.code }));
    const asked = Array.from({ length: 12 }, (_, i) => inviteFrom(replicas[i % 3], `last-${i}@example.org`));
    const answers = await Promise.all(asked);
    const invited = answers.filter(({ status }) => status === 201);
    expect(invited).toHaveLength(4);
    expect(new Set(answers.map(({ status, code }) => `${status} ${code}`))).toEqual(
      new Set(['201 undefined', '409 CONFLICT']),
    );
    expect(await prisma.member.count({ where: { workspaceId: workspace_id } })).toBe(1_000);
    // A new invitation in place of an earlier one adds no one.
    expect((await inviteFrom(gateway, invited[0]?.email ?? '')).status).toBe(201);
  });

  it('enforce a limit together, within 1 %', async () => {
    const { private_key, workspace_id } = await createWorkspace(gateway.admin, { name: 'Shared' });
    await setWorkspace(gateway.admin, workspace_id, { requestsPerMinute: 1, requestBurst: 300 });
    const headers = { authorization: `Bearer ${private_key}` };
    const asked = Array.from({ length: 20 }, async (_, i) => {
      const statuses: number[] = [];
      for (let n = 0; n < 24; n++) {
        const answer = await fetch((replicas[(i + n) % 3]?.url ?? '') + path, { headers });
        await answer.arrayBuffer();
        statuses.push(answer.status);
      }
      return statuses;
    });
    const statuses = (await Promise.all(asked)).flat();
    const letIn = statuses.filter((status) => status === 200).length;
    expect(Math.abs(letIn - 300) / 300).toBeLessThanOrEqual(0.01);
    expect(statuses.filter((status) => status === 429)).toHaveLength(480 - letIn);
  });
});
