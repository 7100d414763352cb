import { type Sql, transaction } from '@parley/kit/db';
import { newId } from '@parley/kit/ids';
import type { SecretBox } from '@parley/kit/secrets';
import type { Clock } from '@parley/kit/time';
import { displayPrefix, hashKey, type KeyType } from '../domain/keys/key-format.ts';
import type { ListedKey, NewKey, WorkspaceStore } from '../domain/workspaces/ports.ts';
import type { ApiKey, Prisma, PrismaClient, Workspace as WorkspaceRow } from '../generated/prisma/client.ts';

type Deps = { prisma: PrismaClient; box: SecretBox; pepper: string; clock: Clock };

/** The secret's place, so that a ciphertext moved to another row doesn't open. */
export const webhookSecretPlace = (id: string): string => `workspaces:webhook_secret:${id}`;

export function createWorkspaceStore({ prisma, box, pepper, clock }: Deps): WorkspaceStore {
  const keyRow = ({ key, ...rest }: NewKey, createdAt: Date) => ({
    id: newId(),
    ...rest,
    prefix: displayPrefix(key),
    hash: hashKey(key, pepper),
    createdAt,
  });

  return {
    create: async ({ id, name, webhookSecret }, keys) => {
      const now = clock.now();
      await prisma.workspace.create({
        data: {
          id,
          name,
          webhookSecret: box.seal(webhookSecret, webhookSecretPlace(id)),
          createdAt: now,
          updatedAt: now,
          keys: { create: keys.map((key) => ({ ...keyRow(key, now), createdBy: 'operator' })) },
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
    addKey: <T>(
      workspaceId: string,
      key: NewKey,
      by: string,
      finish: (tx: Sql, key: ListedKey) => Promise<T>,
    ) =>
      transaction<Prisma.TransactionClient, T>(prisma, async (tx) => {
        const row = { ...keyRow(key, clock.now()), workspaceId, createdBy: by };
        return finish(tx, toListedKey(await tx.apiKey.create({ data: row })));
      }),
    listKeys: async (workspaceId) => {
      const rows = await prisma.apiKey.findMany({
        where: { workspaceId },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      });
      return rows.map(toListedKey);
    },
    revokeKey: async (id, by, workspaceId) => {
      const where = { id, ...(workspaceId ? { workspaceId } : {}) };
      const revoked = { isActive: false, revokedAt: clock.now(), revokedBy: by };
      await prisma.apiKey.updateMany({ where: { ...where, isActive: true }, data: revoked });
      const row = await prisma.apiKey.findFirst({ where });
      return row ? toListedKey(row) : undefined;
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

function toListedKey({ hash: _hash, workspaceId: _workspaceId, ...row }: ApiKey): ListedKey {
  return { ...row, type: row.type as KeyType };
}
