import { randomUUID } from 'node:crypto';
import type { Role } from '@parley/contracts';
import { noIdempotency } from '@parley/kit/idempotency';
import request from 'supertest';
import { createKey as create, type KeyInput } from '../src/keys/manage-keys.ts';
import { addMember } from '../src/people/administer-people.ts';
import type { Gateway, Replica } from './harness.ts';

export const PASSWORD = 'correct horse battery staple';

/** Does what the operator's command does. */
export const createKey = (admin: Gateway['admin'], input: KeyInput) =>
  create(admin, input, { kind: 'operator' }, noIdempotency);

/** Does what `parley member add` does; returns the token of the invitation. */
export async function invite(
  { context }: Replica,
  workspaceId: string,
  email: string,
  role: Role,
): Promise<string> {
  const { config, members, clock } = context;
  const deps = { members, clock, pepper: config.KEY_PEPPER[0], invitationDays: 7, publicUrl: undefined };
  const added = await addMember(deps, workspaceId, { email, role });
  if (!('invitation_token' in added)) throw new Error(`${email} is a member already`);
  return String(added.invitation_token);
}

export type Person = Awaited<ReturnType<typeof withSession>>;

/** A signed-in person: what a browser sends with each request. */
export async function withSession(url: string, answer: request.Response) {
  const cookie = String(answer.headers['set-cookie']?.[0]).split(';')[0] ?? '';
  const csrf: string = answer.body.data.csrf_token;
  const ask = (method: string, path: string, body?: object, at = url): request.Test => {
    const verb = method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
    const asking = request(at)[verb](path).set({ cookie, 'x-csrf-token': csrf });
    return body === undefined ? asking : asking.send(body);
  };
  return { cookie, csrf, ask, data: answer.body.data };
}

export async function signIn(url: string, email: string, workspaceId?: string) {
  const body = { email, password: PASSWORD, ...(workspaceId ? { workspace_id: workspaceId } : {}) };
  return withSession(url, await request(url).post('/dashboard/api/session').send(body));
}

let count = 0;

/** Adds a person to a workspace and signs them in. */
export async function join(
  gateway: Replica,
  workspaceId: string,
  role: Role,
  email = `person-${++count}@example.org`,
) {
  const token = await invite(gateway, workspaceId, email, role);
  const path = '/dashboard/api/invitations/accept';
  const answer = await request(gateway.url).post(path).send({ token, password: PASSWORD });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return { email, ...(await withSession(gateway.url, answer)) };
}

/** Adds members until the workspace has `total`. */
export async function fillWorkspace({ context }: Replica, workspaceId: string, total: number): Promise<void> {
  const { prisma, clock } = context;
  const present = await prisma.member.count({ where: { workspaceId } });
  const createdAt = clock.now();
  const data = Array.from({ length: total - present }, (_, i) => {
    return { id: randomUUID(), workspaceId, email: `many-${i}@example.org`, role: 'viewer', createdAt };
  });
  await prisma.member.createMany({ data });
}

/** How many statements wait for a lock. Read outside of the transaction, which would always see the same number. */
export async function waiting({ context }: Replica): Promise<number> {
  const [row] = await context.prisma.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return row?.count ?? 0;
}

/** Does what a person does who opens a link that was mailed to the address. */
export async function prove({ context }: Replica, personId: string): Promise<void> {
  await context.people.prove(personId);
}
