import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Role } from '@parley/contracts';
import { createLogger } from '@parley/kit/log';
import { eventually } from '@parley/testkit';
import request from 'supertest';
import { hashToken } from '../src/sessions/tokens.ts';
import { createWorkspace } from '../src/workspaces/administer.ts';
import { bootGateway, bootReplica, type Gateway, type Replica } from './harness.ts';
import { mailServer } from './mail-server.ts';
import { fillWorkspace, invite, join, PASSWORD, signIn, withSession } from './people.ts';

// Mail through a real SMTP server; two replicas send.

let gateway: Gateway;
let replica: Replica;
let server: Awaited<ReturnType<typeof mailServer>>;
const lines: string[] = [];
const SESSION = '/dashboard/api/session';
const ACCEPT = '/dashboard/api/invitations/accept';
const NEW = 'a new long password';

beforeAll(async () => {
  server = await mailServer();
  const settings = {
    SMTP_URL: server.url,
    MAIL_FROM: 'Parley <parley@example.org>',
    PUBLIC_URL: 'http://parley.example.org',
    TRUSTED_PROXIES: '127.0.0.0/8,::1/128',
    RATE_LIMIT_BURST: '600',
    REDIS_PREFIX: `mail-${process.pid}-${Date.now()}`,
  };
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ service: 'gateway', level: 'error', destination });
  gateway = await bootGateway(settings, log);
  replica = await bootReplica(gateway.database, settings, log);
});

afterAll(async () => {
  await replica.stop();
  await gateway.stop();
  await server.close();
});

const lettersTo = (email: string) => server.letters.filter(({ to }) => to.includes(email));

async function letterTo(email: string, count = 1) {
  await eventually(() => expect(lettersTo(email)).toHaveLength(count), { timeoutMs: 15_000 });
  const letter = lettersTo(email).at(-1);
  if (!letter) throw new Error('there is one');
  return { ...letter, token: /#([\w.-]+)/.exec(letter.text)?.[1] ?? '' };
}

const post = (path: string, body: object, cookie = '') =>
  request(gateway.url).post(path).set({ cookie }).send(body);

let count = 0;
const newEmail = () => `mail-${++count}@example.org`;
const newWorkspace = async () =>
  (await createWorkspace(gateway.admin, { name: 'A "workspace"\r\nBcc: x@y.z' })).workspace_id;

async function invited(workspaceId: string, email: string, role: Role = 'viewer') {
  const boss = await join(gateway, workspaceId, 'owner');
  const answer = await boss.ask('POST', '/dashboard/api/members', { email, role });
  expect(answer.status).toBe(201);
  return { boss, token: String(answer.body.data.invitation_token) };
}

describe('an invitation', () => {
  it('is mailed, and accepting by the mailed link proves the address [access.17]', async () => {
    const email = newEmail();
    const { token, boss } = await invited(await newWorkspace(), email);
    const letter = await letterTo(email);
    expect(letter.from).toBe('parley@example.org');
    expect(letter.headers).not.toMatch(/^bcc:/im);
    expect(letter.text).toContain(boss.email);
    expect(letter.text).toContain('http://parley.example.org/dashboard/invitation#');
    expect(letter.token.startsWith(`${token}.`)).toBe(true);
    const read = await post('/dashboard/api/invitations/read', { token: letter.token });
    expect(read.body.data.email).toBe(email);
    const accepted = await post(ACCEPT, { token: letter.token, password: PASSWORD });
    expect([accepted.status, accepted.body.data.person.is_address_proved]).toEqual([201, true]);
  });

  it('proves nothing if the inviter passed it on, or with a forged proof', async () => {
    for (const end of ['', '.', '.AAAA', `.${'A'.repeat(43)}`]) {
      const email = newEmail();
      const { token } = await invited(await newWorkspace(), email);
      const accepted = await post(ACCEPT, { token: `${token}${end}`, password: PASSWORD });
      expect([accepted.status, accepted.body.data.person.is_address_proved]).toEqual([201, false]);
    }
  });

  const inviteBy = (boss: Awaited<ReturnType<typeof join>>, email: string, role: Role = 'viewer') =>
    boss.ask('POST', '/dashboard/api/members', { email, role });

  it('is mailed five times an hour to an address; further ones are created without a mail [access.19]', async () => {
    const email = newEmail();
    const { boss } = await invited(await newWorkspace(), email);
    for (let i = 0; i < 4; i += 1) expect((await inviteBy(boss, email)).status).toBe(201);
    const { boss: other } = await invited(await newWorkspace(), newEmail());
    const theirs = await inviteBy(other, email);
    expect(theirs.status).toBe(201);
    await letterTo(email, 5);
    await eventually(async () => expect(await gateway.context.prisma.mail.count()).toBe(0), {
      timeoutMs: 15_000,
    });
    expect(lettersTo(email)).toHaveLength(5);
    const accepted = await post(ACCEPT, {
      token: theirs.body.data.invitation_token,
      password: PASSWORD,
    });
    expect(accepted.status).toBe(201);
  });

  it('is mailed a hundred times an hour by a workspace; refused and repeated requests do not count [access.19]', async () => {
    const workspaceId = await newWorkspace();
    const { boss: owner } = await invited(workspaceId, newEmail());
    const admin = await join(gateway, workspaceId, 'admin');
    for (let i = 0; i < 3; i += 1) {
      expect((await inviteBy(admin, newEmail(), 'owner')).status).toBe(403);
      expect((await inviteBy(owner, admin.email)).status).toBe(409);
    }
    const email = newEmail();
    const repeated = () => inviteBy(owner, email).set('idempotency-key', 'an-invitation');
    const first = await repeated();
    expect(first.status).toBe(201);
    const statuses = [];
    for (let i = 0; i < 99; i += 1) statuses.push((await inviteBy(owner, newEmail())).status);
    expect(statuses).toEqual([...Array(98).fill(201), 429]);
    const again = await repeated();
    expect([again.status, again.body.data]).toEqual([201, first.body.data]);
    expect((await inviteBy(owner, admin.email)).status).toBe(409);
  });

  it('that is refused because the workspace is full takes no mail from its address [access.19]', async () => {
    const full = await newWorkspace();
    const { boss } = await invited(full, newEmail());
    await fillWorkspace(gateway, full, 1_000);
    const email = newEmail();
    for (let i = 0; i < 5; i += 1) expect((await inviteBy(boss, email)).status).toBe(409);
    await invited(await newWorkspace(), email);
    await letterTo(email);
  });

  it('returns the address to its owner from an earlier account', async () => {
    const email = newEmail();
    const theirs = await newWorkspace();
    const thief = await post(ACCEPT, {
      token: await invite(gateway, theirs, email, 'owner'),
      password: 'of the thief!',
    });
    const squatter = await withSession(gateway.url, thief);
    await invited(await newWorkspace(), email);
    const { token } = await letterTo(email);
    const accepted = await post(ACCEPT, { token, password: PASSWORD });
    expect(accepted.body.data.workspaces).toHaveLength(2);
    await eventually(async () => expect((await squatter.ask('GET', SESSION)).status).toBe(401));
    expect((await post(SESSION, { email, password: 'of the thief!' })).status).toBe(401);
  });
});

describe('the proof of an address', () => {
  it('requires a mailed link and a session of the account that requested it, once [access.16]', async () => {
    const person = await join(gateway, await newWorkspace(), 'viewer', newEmail());
    const other = await join(gateway, await newWorkspace(), 'viewer', newEmail());
    expect((await person.ask('POST', '/dashboard/api/address/proof')).status).toBe(204);
    const { token } = await letterTo(person.email);
    const confirm = (by: typeof person) => by.ask('POST', '/dashboard/api/address/confirm', { token });
    expect((await confirm(other)).status).toBe(404);
    const both = await Promise.all([confirm(person), confirm(person)]);
    expect(both.map(({ status }) => status).sort()).toEqual([204, 404]);
    expect((await person.ask('GET', SESSION)).body.data.person.is_address_proved).toBe(true);
    expect((await person.ask('POST', '/dashboard/api/address/proof')).status).toBe(409);
  });
});

describe('a forgotten password', () => {
  const forgot = (email: string) => post('/dashboard/api/password/forgot', { email });
  const reset = (token: string, password = NEW) => post('/dashboard/api/password/reset', { token, password });

  it('is replaced by a mailed link, once, which ends all sessions and proves the address', async () => {
    const person = await join(gateway, await newWorkspace(), 'viewer', newEmail());
    expect((await forgot(person.email)).status).toBe(204);
    const { token } = await letterTo(person.email);
    expect((await reset(token, 'short')).status).toBe(422);
    expect((await reset('unknown')).status).toBe(404);
    const both = await Promise.all([reset(token), reset(token)]);
    expect(both.map(({ status }) => status).sort()).toEqual([204, 404]);
    await eventually(async () => expect((await person.ask('GET', SESSION)).status).toBe(401));
    expect((await post(SESSION, { email: person.email, password: PASSWORD })).status).toBe(401);
    const again = await post(SESSION, { email: person.email, password: NEW });
    expect(again.body.data.person.is_address_proved).toBe(true);
  });

  it('answers the same for an address without an account, which gets no mail [access.18]', async () => {
    const email = newEmail();
    const [unknown, known] = [await forgot(email), await forgot((await signInNew()).email)];
    expect([unknown.status, unknown.text]).toEqual([known.status, known.text]);
    await eventually(async () => expect(await gateway.context.prisma.mail.count()).toBe(0), {
      timeoutMs: 15_000,
    });
    expect(lettersTo(email)).toEqual([]);
  });

  it('can be requested five times an hour per address [access.19]', async () => {
    const email = newEmail();
    const statuses = [];
    for (let i = 0; i < 6; i += 1) statuses.push((await forgot(email)).status);
    expect(statuses).toEqual([204, 204, 204, 204, 204, 429]);
  });

  it('can be requested thirty times an hour per network', async () => {
    const from = (address: string) =>
      post('/dashboard/api/password/forgot', { email: newEmail() }).set('x-forwarded-for', address);
    const statuses = [];
    for (let i = 0; i < 31; i += 1) statuses.push((await from(`203.0.113.${i}`)).status);
    expect(statuses).toEqual([...Array(30).fill(204), 429]);
    expect((await from('198.51.100.1')).status).toBe(204);
  });

  it("doesn't bypass the second factor of an earlier account of the address", async () => {
    const email = newEmail();
    const person = await join(gateway, await newWorkspace(), 'viewer', email);
    await gateway.context.prisma.totpFactor.create({
      data: {
        personId: person.data.person.id,
        secret: 'sealed',
        confirmedAt: new Date(),
        createdAt: new Date(),
      },
    });
    const own = await newWorkspace();
    await post(ACCEPT, { token: await invite(gateway, own, email, 'viewer'), password: PASSWORD });
    const token = 'a-token-of-the-test';
    const hash = hashToken('mail', token, gateway.context.config.KEY_PEPPER[0]);
    await gateway.context.mailTokens.add(hash, { kind: 'reset', email }, new Date(Date.now() + 60_000));
    expect((await reset(token)).status).toBe(204);
    const people = await gateway.context.prisma.person.findMany({ where: { email } });
    expect(people.map(({ id, provedAt }) => [id === person.data.person.id, provedAt !== null])).toEqual(
      expect.arrayContaining([
        [true, false],
        [false, true],
      ]),
    );
  });

  const signInNew = async () => join(gateway, await newWorkspace(), 'viewer', newEmail());
});

describe('the mail queue', () => {
  it('sends each mail once, retries what the server could not accept, and gives up on permanent refusals', async () => {
    const emails = Array.from({ length: 12 }, newEmail);
    await Promise.all(
      emails.map((to) => gateway.context.mails?.add({ kind: 'proof', to, url: 'http://x/#t' })),
    );
    for (const email of emails) await letterTo(email);
    expect(emails.every((email) => lettersTo(email).length === 1)).toBe(true);

    const [late, refused] = [newEmail(), newEmail()];
    server.state.failures = 1;
    server.state.refuses = refused;
    for (const to of [late, refused])
      await gateway.context.mails?.add({ kind: 'proof', to, url: 'http://x/#t' });
    await eventually(() => expect(server.state.failures).toBe(0), { timeoutMs: 15_000 });
    await eventually(async () => expect(await gateway.context.prisma.mail.count()).toBe(1), {
      timeoutMs: 15_000,
    });
    // A minute later.
    await gateway.context.prisma.mail.updateMany({ data: { dueAt: new Date(0) } });
    const letter = await letterTo(late);
    expect(letter.headers).toMatch(/^message-id: <[0-9a-f-]{36}@example\.org>/im);
    expect(lettersTo(refused)).toEqual([]);
  });

  it('stores nothing in plain text, and gives up after a day', async () => {
    server.state.failures = 1_000;
    const to = newEmail();
    await gateway.context.mails?.add({ kind: 'proof', to, url: 'http://parley.example.org/#secret' });
    const rows = await gateway.context.prisma.mail.findMany();
    expect(JSON.stringify(rows)).not.toMatch(/secret|example/);
    await gateway.context.prisma.mail.updateMany({
      data: { createdAt: new Date(Date.now() - 90_000_000), dueAt: new Date(0) },
    });
    await eventually(async () => expect(await gateway.context.prisma.mail.count()).toBe(0), {
      timeoutMs: 15_000,
    });
    server.state.failures = 0;
    expect(lettersTo(to)).toEqual([]);
  });

  it('sends the rest of a batch when one mail cannot be decrypted, and logs an error', async () => {
    const { prisma, mails } = gateway.context;
    const emails = Array.from({ length: 3 }, newEmail);
    lines.length = 0;
    await prisma.mail.create({
      data: { id: randomUUID(), payload: 'sealed by another key', dueAt: new Date(0) },
    });
    for (const to of emails) await mails?.add({ kind: 'proof', to, url: 'http://x/#t' });
    for (const email of emails) await letterTo(email);
    const [left] = await prisma.mail.findMany();
    expect(left?.payload).toBe('sealed by another key');
    await eventually(() => expect(lines.join('')).toContain('a mail cannot be decrypted'));
    expect(lines.join('')).toContain(left?.id);
    await prisma.mail.deleteMany();
  });

  it('is disabled if the operator has configured no mail [access.15]', async () => {
    const plain = await bootReplica(gateway.database);
    try {
      const person = await signIn(plain.url, (await join(plain, await newWorkspace(), 'viewer')).email);
      const asked = await person.ask('POST', '/dashboard/api/address/proof');
      const forgotten = await request(plain.url)
        .post('/dashboard/api/password/forgot')
        .send({ email: 'a@example.org' });
      expect([asked.status, forgotten.status]).toEqual([409, 409]);
    } finally {
      await plain.stop();
    }
  });
});
