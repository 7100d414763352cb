import { type Sql, transaction } from '@parley/kit/db';
import { newId } from '@parley/kit/ids';
import type { Clock } from '@parley/kit/time';
import { displayPrefix, hashKey, type KeyType } from '../domain/keys/key-format.ts';
import { type Changer, nameOf } from '../domain/people/changer.ts';
import { requireAdmin } from '../domain/people/roles.ts';
import type { ListedKey, NewKey, WorkspaceKeys } from '../domain/workspaces/ports.ts';
import type { ApiKey, Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { roleOf } from './role-of.ts';

type Tx = Prisma.TransactionClient;
type Deps = { prisma: PrismaClient; pepper: string; clock: Clock };

const NEWEST = [
  { createdAt: 'desc' },
  { id: 'desc' },
] as const satisfies Prisma.ApiKeyOrderByWithRelationInput[];

export function createWorkspaceKeys({ prisma, pepper, clock }: Deps): WorkspaceKeys {
  /** As the changer may right now, not as their session remembers. */
  const change = <T>(by: Changer, work: (tx: Tx) => Promise<T>): Promise<T> =>
    transaction<Tx, T>(prisma, async (tx) => {
      requireAdmin(await roleOf(tx, by));
      return work(tx);
    });

  return {
    addKey: <T>(
      workspaceId: string,
      key: NewKey,
      by: Changer,
      finish: (tx: Sql, key: ListedKey) => Promise<T>,
    ) =>
      change(by, async (tx) => {
        const row = { ...keyRow(key, pepper, clock.now()), workspaceId, createdBy: nameOf(by) };
        return finish(tx, toListedKey(await tx.apiKey.create({ data: row })));
      }),
    listKeys: async (workspaceId, page) => {
      const where = { workspaceId };
      const [rows, total] = await Promise.all([
        prisma.apiKey.findMany({
          where,
          orderBy: [...NEWEST],
          ...(page ? { take: page.limit, skip: page.offset } : {}),
        }),
        prisma.apiKey.count({ where }),
      ]);
      return { items: rows.map(toListedKey), total };
    },
    revokeKey: (id, by, workspaceId) =>
      change(by, async (tx) => {
        const where = { id, ...(workspaceId ? { workspaceId } : {}) };
        const revoked = { isActive: false, revokedAt: clock.now(), revokedBy: nameOf(by) };
        await tx.apiKey.updateMany({ where: { ...where, isActive: true }, data: revoked });
        const row = await tx.apiKey.findFirst({ where });
        return row ? toListedKey(row) : undefined;
      }),
  };
}

export function keyRow({ key, ...rest }: NewKey, pepper: string, createdAt: Date) {
  return { id: newId(), ...rest, prefix: displayPrefix(key), hash: hashKey(key, pepper), createdAt };
}

function toListedKey({ hash: _hash, workspaceId: _workspaceId, ...row }: ApiKey): ListedKey {
  return { ...row, type: row.type as KeyType };
}
