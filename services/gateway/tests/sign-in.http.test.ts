import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@parley/kit/ids';
import { eventually } from '@parley/testkit';
import request from 'supertest';
import { bootGateway, bootReplica, type Gateway } from './harness.ts';
import { invite, join, PASSWORD, signIn, withSession } from './people.ts';

let gateway: Gateway;
let workspaceId: string;
const SESSION = '/dashboard/api/session';

beforeAll(async () => {
  gateway = await bootGateway({ SESSIONS_PER_PERSON: '3', RATE_LIMIT_BURST: '600' });
  workspaceId = gateway.workspace.workspace_id;
});

afterAll(async () => {
  await gateway.stop();
});

type Asker = Pick<Awaited<ReturnType<typeof join>>, 'ask'>;
const statusOf = async ({ ask }: Asker) => (await ask('GET', SESSION)).status;
const idsOf = async ({ ask }: Asker): Promise<string[]> =>
  (await ask('GET', '/dashboard/api/sessions')).body.data.map(({ id }: { id: string }) => id);

describe('signing in', () => {
  it('keeps at most SESSIONS_PER_PERSON sessions: the oldest end', async () => {
    const [first, other] = [
      await join(gateway, workspaceId, 'viewer'),
      await join(gateway, workspaceId, 'viewer'),
    ];
    const later = [];
    for (let i = 0; i < 3; i += 1) later.push(await signIn(gateway.url, first.email));
    const [second, , last] = later;
    if (!second || !last) throw new Error('there are three');
    expect(await idsOf(last)).toEqual(later.map(({ data }) => data.session_id).reverse());
    await eventually(async () => expect(await statusOf(first)).toBe(401), { timeoutMs: 1_500 });
    expect([await statusOf(second), await statusOf(last), await statusOf(other)]).toEqual([200, 200, 200]);
    const atOnce = await Promise.all([1, 2, 3, 4].map(() => signIn(gateway.url, first.email)));
    expect(new Set(atOnce.map(({ data }) => data.session_id)).size).toBe(4);
    expect(await gateway.context.prisma.session.count({ where: { personId: last.data.person.id } })).toBe(3);
  });

  it("ends the browser's previous session, of any person, and no other", async () => {
    const [first, other] = [
      await join(gateway, workspaceId, 'viewer'),
      await join(gateway, workspaceId, 'viewer'),
    ];
    const again = (email: string, cookie: string) =>
      request(gateway.url).post(SESSION).set({ cookie }).send({ email, password: PASSWORD });
    expect(await statusOf(first)).toBe(200);
    const second = await withSession(gateway.url, await again(first.email, first.cookie));
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
    // The next sign-in at the same browser is by another person.
    const third = await withSession(gateway.url, await again(other.email, second.cookie));
    expect([await statusOf(second), await statusOf(third), await statusOf(other)]).toEqual([401, 200, 200]);
    const wrong = await request(gateway.url)
      .post(SESSION)
      .set({ cookie: third.cookie })
      .send({ email: first.email, password: 'wrong' });
    expect([wrong.status, await statusOf(third)]).toEqual([401, 200]);
    const token = await invite(gateway, workspaceId, 'third@example.org', 'viewer');
    await request(gateway.url)
      .post('/dashboard/api/invitations/accept')
      .set({ cookie: third.cookie })
      .send({ token, password: PASSWORD });
    expect(await statusOf(third)).toBe(401);
  });

  it('rehashes the password when PASSWORD_COST has changed, also when two sign-ins run concurrently', async () => {
    const person = await join(gateway, workspaceId, 'viewer');
    const hash = async () =>
      (await gateway.context.prisma.person.findFirst({ where: { email: person.email } }))?.passwordHash;
    expect(await hash()).toMatch(/^scrypt\$10\$/);
    const replica = await bootReplica(gateway.database, { PASSWORD_COST: '11' });
    try {
      const both = await Promise.all([1, 2].map(() => signIn(replica.url, person.email)));
      const renewed = await hash();
      expect(renewed).toMatch(/^scrypt\$11\$/);
      expect(await Promise.all([person, ...both].map(statusOf))).toEqual([200, 200, 200]);
      await signIn(replica.url, person.email);
      expect(await hash()).toBe(renewed);
      const wrong = await request(gateway.url).post(SESSION).send({ email: person.email, password: 'wrong' });
      expect([wrong.status, await hash()]).toEqual([401, renewed]);
    } finally {
      await replica.stop();
    }
  });
});

describe('the sweep of sessions', () => {
  it('deletes all expired sessions, and no other', async () => {
    const person = await join(gateway, workspaceId, 'viewer');
    const { prisma, sessionStore, clock } = gateway.context;
    const now = clock.now();
    const [before, after] = [new Date(now.getTime() - 60_000), new Date(now.getTime() + 60_000)];
    const rows = Array.from({ length: 2_400 }, (_, i) => ({
      ...{ id: newId(), personId: person.data.person.id, tokenHash: `swept ${i}`, createdAt: before },
      // Expired by their last use or by `expiresAt`; the last hundred are live.
      lastSeenAt: i < 1_200 ? before : now,
      expiresAt: i >= 1_200 && i < 2_300 ? now : after,
      ...{ address: '192.0.2.1', userAgent: 'a browser' },
    }));
    await prisma.session.createMany({ data: rows });
    await sessionStore.sweep(now, before);
    expect(await prisma.session.count({ where: { tokenHash: { startsWith: 'swept' } } })).toBe(100);
    expect(await statusOf(person)).toBe(200);
  });
});
