import { type SomeKeySettings, someKeySettings } from '@parley/contracts';
import { type AuditEntry, changesBetween } from '@parley/kit/audit';
import { newId } from '@parley/kit/ids';
import type { Clock } from '@parley/kit/time';
import { addAuditEntry } from '../audit/audit-log.store.ts';
import type { ApiKey, Prisma } from '../generated/prisma/client.ts';
import type { Page } from '../page.ts';
import { type Changer, changedBy, nameOf } from '../people/changes.ts';
import { currentRole } from '../people/members.store.ts';
import { requireAdmin } from '../people/roles.ts';
import { inTransaction, type PrismaClient, type Tx } from '../prisma.ts';
import { displayPrefix, hashKey, type KeyType } from './key-format.ts';

export type NewKey = {
  name: string;
  type: KeyType;
  key: string;
  expiresAt: Date | null;
  settings?: SomeKeySettings;
};
export type KeyChange = { name?: string; settings: SomeKeySettings };
export type ListedKey = {
  id: string;
  name: string;
  type: KeyType;
  prefix: string;
  isActive: boolean;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  createdAt: Date;
  createdBy: string | null;
  revokedAt: Date | null;
  revokedBy: string | null;
  /** Its own settings, without the defaults. */
  settings: unknown;
};

const NEWEST = [
  { createdAt: 'desc' },
  { id: 'desc' },
] as const satisfies Prisma.ApiKeyOrderByWithRelationInput[];

/** Every change throws `FORBIDDEN` unless its author is an admin or owner at that moment. */
export function createWorkspaceKeys({
  prisma,
  pepper,
  clock,
}: {
  prisma: PrismaClient;
  pepper: string;
  clock: Clock;
}) {
  /** Checks the role in the database: a session may remember an older one. */
  const change = <T>(by: Changer, work: (tx: Tx) => Promise<T>): Promise<T> =>
    inTransaction(prisma, async (tx) => {
      requireAdmin(await currentRole(tx, by));
      return work(tx);
    });

  return {
    /** `finish` runs in the transaction that stores the key, and returns the response. */
    addKey: <T>(
      workspaceId: string,
      key: NewKey,
      by: Changer,
      finish: (tx: Tx, key: ListedKey) => Promise<T>,
    ): Promise<T> =>
      change(by, async (tx) => {
        const row = { ...keyRow(key, pepper, clock.now()), workspaceId, createdBy: nameOf(by) };
        const created = toListedKey(await tx.apiKey.create({ data: row }));
        await addAuditEntry(tx, changedBy(by, workspaceId), keyEntry('key.created', created, row.createdAt));
        return finish(tx, created);
      }),

    /** Newest first; all of them without a page. */
    listKeys: async (workspaceId: string, page?: Page) => {
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

    /** In `workspaceId`, or in any without it. */
    findKey: async (id: string, workspaceId?: string) => {
      const row = await prisma.apiKey.findFirst({ where: { id, ...(workspaceId ? { workspaceId } : {}) } });
      return row ? { ...toListedKey(row), workspaceId: row.workspaceId } : undefined;
    },

    /** Missing settings stay unchanged. Undefined: no such active key. */
    changeKey: (id: string, workspaceId: string, { name, settings }: KeyChange, by: Changer) =>
      change(by, async (tx) => {
        // Serializes concurrent changes, so that none overwrites the settings of another.
        const locked = await tx.$queryRaw<unknown[]>`
          SELECT 1 FROM api_keys WHERE id = ${id}::uuid AND workspace_id = ${workspaceId}::uuid AND is_active FOR UPDATE`;
        if (locked.length === 0) return undefined;
        const before = await tx.apiKey.findUniqueOrThrow({ where: { id } });
        const data = {
          settings: onlySet({ ...(before.settings as SomeKeySettings), ...definedIn(settings) }),
          ...(name === undefined ? {} : { name }),
        };
        const after = await tx.apiKey.update({ where: { id }, data });
        const changes = changesBetween(
          { ...NO_SETTINGS, ...(before.settings as object), name: before.name },
          { ...NO_SETTINGS, ...data.settings, name: after.name },
        );
        const entry = { ...keyEntry('key.changed', toListedKey(after), clock.now()), changes };
        await addAuditEntry(tx, changedBy(by, workspaceId), entry);
        return toListedKey(after);
      }),

    /** Idempotent. Undefined: no such key (in `workspaceId`, if given). */
    revokeKey: (id: string, by: Changer, workspaceId?: string) =>
      change(by, async (tx) => {
        const where = { id, ...(workspaceId ? { workspaceId } : {}) };
        const revoked = { isActive: false, revokedAt: clock.now(), revokedBy: nameOf(by) };
        const { count } = await tx.apiKey.updateMany({ where: { ...where, isActive: true }, data: revoked });
        const row = await tx.apiKey.findFirst({ where });
        if (!row) return undefined;
        const key = toListedKey(row);
        const entry = { ...keyEntry('key.revoked', key, revoked.revokedAt), changes: {} };
        if (count === 1) await addAuditEntry(tx, changedBy(by, row.workspaceId), entry);
        return key;
      }),
  };
}

export function keyRow({ key, ...rest }: NewKey, pepper: string, createdAt: Date) {
  const settings = onlySet(rest.settings ?? {});
  return {
    id: newId(),
    ...rest,
    settings,
    prefix: displayPrefix(key),
    hash: hashKey(key, pepper),
    createdAt,
  };
}

const NO_SETTINGS = Object.fromEntries(Object.keys(someKeySettings.shape).map((name) => [name, null]));

function definedIn(settings: SomeKeySettings): SomeKeySettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** Defaults aren't stored. */
function onlySet(settings: SomeKeySettings): Prisma.InputJsonObject {
  return Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== null && value !== undefined),
  );
}

function keyEntry(action: string, key: ListedKey, at: Date): AuditEntry {
  const { id, name, type, prefix, expiresAt, settings } = key;
  const expiry = expiresAt ? { expires_at: expiresAt } : {};
  const changes = changesBetween({}, { type, prefix, ...expiry, ...(settings as object) });
  return { action, target: { type: 'key', id, name }, changes, at };
}

function toListedKey({ hash: _hash, workspaceId: _workspaceId, ...row }: ApiKey): ListedKey {
  return { ...row, type: row.type as KeyType };
}
