import type { SecretBox } from '@parley/kit/secrets';
import type { Clock } from '@parley/kit/time';
import type { WorkspaceStore } from '../domain/workspaces/ports.ts';
import type { PrismaClient, Workspace as WorkspaceRow } from '../generated/prisma/client.ts';
import { createWorkspaceKeys, keyRow } from './workspace-keys.ts';

type Deps = { prisma: PrismaClient; box: SecretBox; pepper: string; clock: Clock };

/** The secret's place, so that a ciphertext moved to another row doesn't open. */
export const webhookSecretPlace = (id: string): string => `workspaces:webhook_secret:${id}`;

export function createWorkspaceStore({ prisma, box, pepper, clock }: Deps): WorkspaceStore {
  return {
    ...createWorkspaceKeys({ prisma, pepper, clock }),
    create: async ({ id, name, webhookSecret }, keys) => {
      const now = clock.now();
      await prisma.workspace.create({
        data: {
          id,
          name,
          webhookSecret: box.seal(webhookSecret, webhookSecretPlace(id)),
          createdAt: now,
          updatedAt: now,
          keys: { create: keys.map((key) => ({ ...keyRow(key, pepper, now), createdBy: 'operator' })) },
        },
      });
    },
    find: async (id) => {
      const row = await prisma.workspace.findUnique({ where: { id } });
      return row ? toWorkspace(row, box) : undefined;
    },
    set: async (id, settings) => {
      const data = { ...settings, updatedAt: clock.now() };
      return (await prisma.workspace.updateMany({ where: { id }, data })).count === 1;
    },
    rotateSecret: async (id, secret, oldExpiresAt) => {
      // In one statement: of two rotations at once, the later one keeps the earlier one's secret as the old one.
      const rows = await prisma.$executeRaw`
        UPDATE workspaces SET old_webhook_secret = webhook_secret, old_secret_expires_at = ${oldExpiresAt},
          webhook_secret = ${box.seal(secret, webhookSecretPlace(id))}, updated_at = ${clock.now()}
        WHERE id = ${id}::uuid`;
      return rows === 1;
    },
  };
}

function toWorkspace(row: WorkspaceRow, box: SecretBox) {
  const old =
    row.oldWebhookSecret && row.oldSecretExpiresAt
      ? {
          secret: box.open(row.oldWebhookSecret, webhookSecretPlace(row.id)),
          expiresAt: row.oldSecretExpiresAt,
        }
      : undefined;
  return {
    id: row.id,
    name: row.name,
    rateCents: row.rateCents,
    maxLiveCalls: row.maxLiveCalls,
    requestsPerMinute: row.requestsPerMinute,
    requestBurst: row.requestBurst,
    callsPerSecond: row.callsPerSecond,
    callBurst: row.callBurst,
    webhookSecret: box.open(row.webhookSecret, webhookSecretPlace(row.id)),
    oldWebhookSecret: old,
  };
}
