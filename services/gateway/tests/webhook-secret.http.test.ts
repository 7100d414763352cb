import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createWorkspace, rotateWebhookSecret } from '../src/workspaces/administer.ts';
import { signingSecrets } from '../src/workspaces/workspaces.store.ts';
import { bootGateway, type Gateway } from './harness.ts';
import { join } from './people.ts';

// Rotation of a workspace's webhook secret in the dashboard [dashboard.70].

const PATH = '/dashboard/api/workspace/webhook-secret';
const DAY_MS = 86_400_000;

let gateway: Gateway;

beforeAll(async () => {
  gateway = await bootGateway();
});
afterAll(() => gateway.stop());

/** The secrets that sign at present, the current one first. */
async function signing(workspaceId: string): Promise<string[]> {
  const found = await gateway.context.workspaces.find(workspaceId);
  if (!found) throw new Error('there is no such workspace');
  return signingSecrets(found, gateway.context.clock);
}

describe('POST /dashboard/api/workspace/webhook-secret', () => {
  it.each(['owner', 'admin'] as const)(
    'as %s answers the new secret, once; both sign for 24 hours, and the settings say until when [webhooks.7]',
    async (role) => {
      const { workspace_id: id, webhook_secret: first } = await createWorkspace(gateway.admin, { name: 'A' });
      const person = await join(gateway, id, role);
      const settings = async () => (await person.ask('GET', '/dashboard/api/workspace')).body.data;
      expect((await settings()).old_webhook_secret_expires_at).toBeNull();

      const { status, body } = await person.ask('POST', PATH);
      expect(status).toBe(201);
      const { webhook_secret: second, old_secret_expires_at: until } = body.data;
      expect(second).toMatch(/^whsec_/);
      expect(second).not.toBe(first);
      expect(await signing(id)).toEqual([second, first]);
      const left = new Date(until).getTime() - gateway.context.clock.now().getTime();
      expect(left).toBeGreaterThan(DAY_MS - 60_000);
      expect(left).toBeLessThanOrEqual(DAY_MS);
      expect((await settings()).old_webhook_secret_expires_at).toBe(until);
      expect(JSON.stringify(await settings())).not.toContain(second);

      const past = new Date(gateway.context.clock.now().getTime() - 1);
      await gateway.context.prisma.workspace.update({ where: { id }, data: { oldSecretExpiresAt: past } });
      expect(await signing(id)).toEqual([second]);
      expect((await settings()).old_webhook_secret_expires_at).toBeNull();
    },
  );

  it('ends the oldest secret at once if the last rotation is not over [webhooks.7]', async () => {
    const { workspace_id: id } = await createWorkspace(gateway.admin, { name: 'B' });
    const person = await join(gateway, id, 'owner');
    const { webhook_secret: second } = (await person.ask('POST', PATH)).body.data;
    const { webhook_secret: third } = (await person.ask('POST', PATH)).body.data;
    expect(await signing(id)).toEqual([third, second]);
  });

  it('rotates once for a repeated Idempotency-Key, and answers the same secret [general.20]', async () => {
    const { workspace_id: id, webhook_secret: first } = await createWorkspace(gateway.admin, { name: 'C' });
    const person = await join(gateway, id, 'owner');
    const key = randomUUID();
    const answers = [];
    for (let n = 0; n < 2; n += 1) answers.push(await person.ask('POST', PATH).set('idempotency-key', key));
    expect(answers[1]?.text).toBe(answers[0]?.text);
    expect(await signing(id)).toEqual([answers[0]?.body.data.webhook_secret, first]);
  });

  it('is recorded with the person and without the secret [trust.17]', async () => {
    const { workspace_id: id, private_key: key } = await createWorkspace(gateway.admin, { name: 'D' });
    const person = await join(gateway, id, 'admin');
    const { body } = await person.ask('POST', PATH);
    const log = await request(gateway.url)
      .get('/v1/audit-log?action=webhook_secret')
      .set('authorization', `Bearer ${key}`);
    expect(log.body.data).toEqual([
      expect.objectContaining({
        action: 'webhook_secret.rotated',
        actor: { kind: 'member', id: expect.any(String), name: person.email },
        target: { type: 'webhook_secret', id, name: null },
      }),
    ]);
    expect(log.text).not.toContain(body.data.webhook_secret);
  });

  it.each(['developer', 'viewer'] as const)('as %s is 403 and changes nothing [access.5]', async (role) => {
    const { workspace_id: id, webhook_secret: first } = await createWorkspace(gateway.admin, { name: 'E' });
    const { status, body } = await (await join(gateway, id, role)).ask('POST', PATH);
    expect([status, body.error.code]).toEqual([403, 'FORBIDDEN']);
    expect(await signing(id)).toEqual([first]);
  });

  it('is refused if the person is not an admin any more when it is written', async () => {
    const { workspace_id: id, webhook_secret: first } = await createWorkspace(gateway.admin, { name: 'F' });
    const person = await join(gateway, id, 'admin');
    const where = { workspaceId_email: { workspaceId: id, email: person.email } };
    const { id: memberId } = await gateway.context.prisma.member.update({
      where,
      data: { role: 'developer' },
    });
    const by = { kind: 'member', memberId, email: person.email } as const;
    await expect(rotateWebhookSecret(gateway.admin, id, by)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await signing(id)).toEqual([first]);
  });

  it('does not accept a private key', async () => {
    const { workspace_id: id, private_key: key } = await createWorkspace(gateway.admin, { name: 'G' });
    const answer = await request(gateway.url).post(PATH).set('authorization', `Bearer ${key}`);
    expect([answer.status, answer.body.error.code]).toEqual([403, 'FORBIDDEN']);
    expect(await signing(id)).toHaveLength(1);
  });
});
