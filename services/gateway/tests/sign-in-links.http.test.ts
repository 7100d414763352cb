import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { realNow } from '@parley/kit/time';
import { TOTP } from 'otpauth';
import request from 'supertest';
import { createSignInLink } from '../src/sign-in/sign-in-links.ts';
import { bootGateway, bootReplica, type Gateway, type Replica } from './harness.ts';
import { join, PASSWORD, withSession } from './people.ts';

// The operator's links that sign a person in once [dashboard.4].

let gateway: Gateway;
let replica: Replica;
let workspaceId: string;
const OWNER = 'owner@example.org';

beforeAll(async () => {
  const shared = { REDIS_PREFIX: `links-${process.pid}-${Date.now()}` };
  gateway = await bootGateway(shared);
  replica = await bootReplica(gateway.database, { ...shared, SIGN_INS_PER_ADDRESS_AND_MINUTE: '3' });
  workspaceId = gateway.workspace.workspace_id;
});

afterAll(async () => {
  await replica?.stop();
  await gateway?.stop();
});

/** Does what `parley member link` does; returns the token. */
async function link(email = OWNER, role: 'owner' | undefined = 'owner'): Promise<string> {
  const { signInLinks, config } = gateway.context;
  const deps = { signInLinks, pepper: config.KEY_PEPPER[0], publicUrl: undefined };
  const made = await createSignInLink(deps, { workspaceId, email, role }, { kind: 'operator', user: 'ops' });
  return made.sign_in_url.split('#')[1] ?? '';
}

const use = (token: string, headers: Record<string, string> = {}, { url } = gateway as Replica) =>
  request(url).post('/dashboard/api/session/link').set(headers).send({ token });

describe('a sign-in link [dashboard.4]', () => {
  it('opens a session of its member in its workspace, and makes a new person a member', async () => {
    const answer = await use(await link());
    expect([answer.status, answer.body.data]).toMatchObject([
      201,
      {
        person: { email: OWNER },
        workspace: { workspace_id: workspaceId, role: 'owner' },
        signed_in_by: 'link',
      },
    ]);
    expect(String(answer.headers['set-cookie']?.[0])).toMatch(/HttpOnly.*SameSite=Strict/);
    const owner = await withSession(gateway.url, answer);
    expect((await owner.ask('GET', '/dashboard/api/keys')).status).toBe(200);
    const { body } = await owner.ask('GET', '/v1/audit-log');
    const shown = body.data.map((entry: { action: string; actor: { kind: string; id: string } }) => [
      entry.action,
      entry.actor.kind,
    ]);
    expect(shown.slice(0, 3)).toEqual([
      ['member.link_used', 'member'],
      ['member.link_created', 'operator'],
      ['member.joined', 'operator'],
    ]);
  });

  it('is accepted once, also if several browsers use it at the same time', async () => {
    const token = await link();
    const answers = await Promise.all(Array.from({ length: 8 }, () => use(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(404)]);
    expect((await use(token)).body.error.code).toBe('NOT_FOUND');
  });

  it('is stored as a hash, and is not accepted after half an hour of real time', async () => {
    const token = await link();
    const rows = await gateway.context.prisma.signInLink.findMany();
    expect(JSON.stringify(rows)).not.toContain(token);
    const [left] = await gateway.context.prisma.$queryRaw<{ minutes: number }[]>`
      SELECT extract(epoch FROM max(expires_at) - clock_timestamp())::float8 / 60 AS minutes FROM sign_in_links`;
    expect(left?.minutes).toBeGreaterThan(58);
    expect(left?.minutes).toBeLessThanOrEqual(60);
    await gateway.context.prisma.$executeRaw`UPDATE sign_in_links SET expires_at = clock_timestamp()`;
    expect((await use(token)).status).toBe(404);
    await link();
    await gateway.context.prisma.$executeRaw`UPDATE sign_in_links SET expires_at = clock_timestamp()`;
    await gateway.context.signInLinks.sweep();
    expect(await gateway.context.prisma.signInLink.count()).toBe(0);
  });

  it('is not accepted for a person who is no longer a member', async () => {
    const person = await join(gateway, workspaceId, 'viewer');
    expect((await use(await link(person.email))).body.data.workspace.role).toBe('viewer');
    const token = await link(person.email);
    await gateway.context.prisma.member.deleteMany({ where: { email: person.email } });
    expect((await use(token)).status).toBe(404);
  });

  it('is void once there is a newer one, or a new password', async () => {
    const person = await join(gateway, workspaceId, 'viewer');
    const former = await link(person.email);
    const token = await link(person.email);
    expect((await use(former)).status).toBe(404);
    const changed = await person.ask('PUT', '/dashboard/api/password', {
      current_password: PASSWORD,
      new_password: `${PASSWORD} 2`,
    });
    expect(changed.status).toBeLessThan(300);
    expect((await use(token)).status).toBe(404);
  });

  it('is no substitute for a second factor', async () => {
    const person = await join(gateway, workspaceId, 'developer');
    const begun = await person.ask('POST', '/dashboard/api/second-factor', { password: PASSWORD });
    const { secret } = begun.body.data;
    const code = (steps: number) =>
      new TOTP({ secret }).generate({ timestamp: realNow().getTime() + steps * 30_000 });
    const path = '/dashboard/api/second-factor/confirm';
    expect((await person.ask('POST', path, { code: code(-1) })).status).toBe(201);
    const first = await use(await link(person.email));
    expect([first.status, first.body.error.code]).toEqual([401, 'SECOND_FACTOR_REQUIRED']);
    const cookie = String(first.headers['set-cookie']?.[0]).split(';')[0] ?? '';
    const second = await request(gateway.url)
      .post('/dashboard/api/session/code')
      .set({ cookie })
      .send({ code: code(0) });
    expect([second.status, second.body.data.workspace.workspace_id]).toEqual([201, workspaceId]);
  });

  it('is refused from pages of other sites, and guesses are limited by address', async () => {
    const token = await link();
    expect((await use(token, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    const statuses: number[] = [];
    for (let n = 0; n < 5; n += 1) statuses.push((await use(`guess-${n}`, {}, replica)).status);
    expect(statuses).toEqual([404, 404, 404, 429, 429]);
    expect((await use(token)).status).toBe(201);
  });
});
