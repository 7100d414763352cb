import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Role } from '@parley/contracts';
import { eventually } from '@parley/testkit';
import request from 'supertest';
import { createWorkspace } from '../src/workspaces/administer.ts';
import { bootGateway, type Gateway } from './harness.ts';
import { invite, join, PASSWORD, prove, signIn, waiting, withSession } from './people.ts';

// An account belongs to one workspace until its owner has proved the address [access.11].

let gateway: Gateway;
const SESSION = '/dashboard/api/session';
const ACCEPT = '/dashboard/api/invitations/accept';
const THIEF = 'a password of the thief';

beforeAll(async () => {
  gateway = await bootGateway({ RATE_LIMIT_BURST: '600' });
});

afterAll(async () => {
  await gateway.stop();
});

const newWorkspace = async () => (await createWorkspace(gateway.admin, { name: 'Some' })).workspace_id;

async function accept(workspaceId: string, email: string, password: string, role: Role = 'viewer') {
  const token = await invite(gateway, workspaceId, email, role);
  return request(gateway.url).post(ACCEPT).send({ token, password });
}

const open = (email: string, password: string, workspaceId?: string) =>
  request(gateway.url)
    .post(SESSION)
    .send({ email, password, ...(workspaceId ? { workspace_id: workspaceId } : {}) });

const workspacesOf = ({ body }: request.Response): string[] =>
  body.data.workspaces.map(({ workspace_id }: { workspace_id: string }) => workspace_id);

let count = 0;

/** The same address in two workspaces: in one of them another person has registered it first. */
async function squatted() {
  const email = `victim-${++count}@example.org`;
  const [theirs, own] = [await newWorkspace(), await newWorkspace()];
  const thief = await accept(theirs, email, THIEF, 'owner');
  const victim = await accept(own, email, PASSWORD, 'developer');
  expect([thief.status, victim.status]).toEqual([201, 201]);
  return { email, theirs, own, thief, victim };
}

describe('an account that has not proved its address [access.11]', () => {
  it("doesn't reserve the address: an invitation elsewhere creates another account with its own password", async () => {
    const { email, theirs, own } = await squatted();
    const [asThief, asVictim] = [await open(email, THIEF), await open(email, PASSWORD)];
    expect([asThief.status, asVictim.status]).toEqual([201, 201]);
    expect([workspacesOf(asThief), workspacesOf(asVictim)]).toEqual([[theirs], [own]]);
    expect(asThief.body.data.person.id).not.toBe(asVictim.body.data.person.id);
    expect((await open(email, 'neither of them')).status).toBe(401);
    expect((await open(email, THIEF, own)).status).toBe(403);
    expect((await open(email, PASSWORD, own)).status).toBe(201);
  });

  it('is recreated up to five times an hour, because each of its passwords could be a guess at another account', async () => {
    const email = `guessed-${++count}@example.org`;
    const [theirs, own] = [await newWorkspace(), await newWorkspace()];
    const guess = async () => {
      const answer = await accept(theirs, email, THIEF);
      await gateway.context.prisma.member.deleteMany({ where: { workspaceId: theirs, email } });
      await gateway.context.people.sweep();
      return answer.status;
    };
    const answers: number[] = [];
    for (let i = 0; i < 6; i += 1) answers.push(await guess());
    expect(answers).toEqual([...Array(5).fill(201), 429]);
    expect((await accept(own, email, PASSWORD)).status).toBe(201);
  });

  it('reveals nothing of the other accounts to an invited person', async () => {
    const { email } = await squatted();
    const token = await invite(gateway, await newWorkspace(), email, 'viewer');
    const { body } = await request(gateway.url).post('/dashboard/api/invitations/read').send({ token });
    expect(body.data).toMatchObject({ email, has_account: false });
  });

  it('with the same password as another account of its address is selected by the workspace', async () => {
    const email = `same-${++count}@example.org`;
    const [first, second] = [await newWorkspace(), await newWorkspace()];
    for (const one of [first, second]) expect((await accept(one, email, PASSWORD)).status).toBe(201);
    for (const one of [first, second]) {
      const answer = await open(email, PASSWORD, one);
      expect([answer.status, answer.body.data.workspace.workspace_id]).toEqual([201, one]);
    }
    expect(workspacesOf(await open(email, PASSWORD))).toEqual([first]);
  });

  it('ends with its last membership; another invitation creates a new one', async () => {
    const workspaceId = await newWorkspace();
    const boss = await join(gateway, workspaceId, 'owner');
    const person = await join(gateway, workspaceId, 'viewer');
    const listed = (await boss.ask('GET', '/dashboard/api/members')).body.data;
    const { id } = listed.find(({ email }: { email: string }) => email === person.email);
    expect((await boss.ask('DELETE', `/dashboard/api/members/${id}`)).status).toBe(204);
    await eventually(async () => expect((await person.ask('GET', SESSION)).status).toBe(401), {
      timeoutMs: 1_500,
    });
    expect((await open(person.email, PASSWORD)).status).toBe(401);
    expect((await accept(workspaceId, person.email, 'a new long password')).status).toBe(201);
  });

  it('is created once when two invitations are accepted concurrently', async () => {
    const email = `twice-${++count}@example.org`;
    const workspaceId = await newWorkspace();
    const token = await invite(gateway, workspaceId, email, 'viewer');
    const both = await Promise.all(
      [1, 2, 3, 4].map(() => request(gateway.url).post(ACCEPT).send({ token, password: PASSWORD })),
    );
    expect(both.map(({ status }) => status).filter((status) => status === 201)).toHaveLength(1);
    expect(await gateway.context.prisma.person.count({ where: { email } })).toBe(1);
  });
});

describe('a proved address', () => {
  it('is one account: the others are merged into it, and their sessions and passwords end', async () => {
    const { email, theirs, own, thief, victim } = await squatted();
    const squatter = await withSession(gateway.url, thief);
    await prove(gateway, victim.body.data.person.id);
    await eventually(async () => expect((await squatter.ask('GET', SESSION)).status).toBe(401), {
      timeoutMs: 1_500,
    });
    expect((await open(email, THIEF)).status).toBe(401);
    const all = await open(email, PASSWORD);
    expect(workspacesOf(all).sort()).toEqual([theirs, own].sort());
    expect(all.body.data.person).toMatchObject({ email, is_address_proved: true });
  });

  it('joins other workspaces only with its own password or by its session', async () => {
    const { email, victim } = await squatted();
    await prove(gateway, victim.body.data.person.id);
    const [third, fourth] = [await newWorkspace(), await newWorkspace()];
    expect((await accept(third, email, THIEF)).status).toBe(401);
    const joined = await accept(third, email, PASSWORD);
    expect([joined.status, workspacesOf(joined).includes(third)]).toEqual([201, true]);

    const { cookie } = await withSession(gateway.url, joined);
    const token = await invite(gateway, fourth, email, 'viewer');
    const stranger = await join(gateway, await newWorkspace(), 'owner');
    for (const headers of [{}, { cookie: stranger.cookie }]) {
      const refused = await request(gateway.url).post(ACCEPT).set(headers).send({ token });
      expect(refused.status).toBe(401);
    }
    const bySession = await request(gateway.url).post(ACCEPT).set({ cookie }).send({ token });
    expect([bySession.status, bySession.body.data.workspace.workspace_id]).toEqual([201, fourth]);
  });

  it('is proved once under concurrent proofs', async () => {
    const { email, thief, victim } = await squatted();
    await Promise.allSettled([thief, victim].map(({ body }) => prove(gateway, body.data.person.id)));
    const people = await gateway.context.prisma.person.findMany({ where: { email } });
    expect(people).toEqual([expect.objectContaining({ provedAt: expect.any(Date) })]);
  });

  it('is a conflict when an account is created while another one proves the address', async () => {
    const { email, victim } = await squatted();
    const token = await invite(gateway, await newWorkspace(), email, 'viewer');
    const { late } = await gateway.context.prisma.$transaction(
      async (tx) => {
        await tx.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`people ${email}`}, 0))::text`;
        await tx.person.update({ where: { id: victim.body.data.person.id }, data: { provedAt: new Date() } });
        const answer = request(gateway.url)
          .post(ACCEPT)
          .send({ token, password: 'a third long password' })
          .then((told) => told);
        await eventually(async () => expect(await waiting(gateway)).toBe(1));
        // Wrapped in an object, because awaiting the promise here would wait for the end of this transaction.
        return { late: answer };
      },
      { timeout: 30_000 },
    );
    expect((await late).status).toBe(409);
  });
});

describe('leaving a workspace', () => {
  it('ends the membership, and keeps an account with another workspace', async () => {
    const { email, theirs, own, victim } = await squatted();
    await prove(gateway, victim.body.data.person.id);
    // The thief’s account has been merged into the victim’s, with its role.
    const boss = await join(gateway, theirs, 'owner');
    const person = await signIn(gateway.url, email, own);
    const left = await person.ask('DELETE', `/dashboard/api/workspaces/${theirs}/membership`);
    expect(left.status).toBe(204);
    expect((await person.ask('GET', SESSION)).body.data.workspaces).toHaveLength(1);
    const members = (await boss.ask('GET', '/dashboard/api/members')).body.data;
    expect(members.map((member: { email: string }) => member.email)).toEqual([boss.email]);
    expect((await person.ask('DELETE', `/dashboard/api/workspaces/${theirs}/membership`)).status).toBe(404);
  });

  it('is refused to the last owner', async () => {
    const workspaceId = await newWorkspace();
    const boss = await join(gateway, workspaceId, 'owner');
    const leave = () => boss.ask('DELETE', `/dashboard/api/workspaces/${workspaceId}/membership`);
    expect((await leave()).status).toBe(409);
    await join(gateway, workspaceId, 'owner');
    expect((await leave()).status).toBe(204);
    await eventually(async () => expect((await boss.ask('GET', SESSION)).status).toBe(401), {
      timeoutMs: 1_500,
    });
  });
});
