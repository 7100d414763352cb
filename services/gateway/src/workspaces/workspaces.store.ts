import type { Role } from '@parley/contracts';
import { changesBetween, SECRET_CHANGE } from '@parley/kit/audit';
import { queryRow, sql } from '@parley/kit/db';
import type { SecretBox } from '@parley/kit/secrets';
import type { Clock } from '@parley/kit/time';
import { z } from 'zod';
import { addAuditEntry } from '../audit/audit-log.store.ts';
import type { Workspace as WorkspaceRow } from '../generated/prisma/client.ts';
import { createWorkspaceKeys, keyRow, type NewKey } from '../keys/keys.store.ts';
import { type Changer, changedBy, nameOf } from '../people/changes.ts';
import { currentRole } from '../people/members.store.ts';
import { requireAdmin, requireOwner } from '../people/roles.ts';
import { inTransaction, type PrismaClient, type Tx } from '../prisma.ts';

const countRow = z.object({ count: z.number() });

/** A workspace with its decrypted secrets. */
export type Workspace = {
  id: string;
  name: string;
  /** IANA zone of its days [analytics.2]. */
  timeZone: string;
  /** Cents per minute. */
  rateCents: number;
  maxLiveCalls: number;
  requestsPerMinute: number;
  /** Null: the default of the installation. */
  requestBurst: number | null;
  /** Null: no quota. */
  maxStoredMb: number | null;
  callsPerSecond: number | null;
  callBurst: number | null;
  /** Null: not suspended [trust.24]. */
  suspendedAt: Date | null;
  /** Null: not being deleted. */
  deletedAt: Date | null;
  /** Empty: any [trust.22]. */
  allowedDestinations: readonly string[];
  dailySpendLimitCents: number | null;
  createdAt: Date;
  /** Retention in days [trust.21]; null: the default of the installation. */
  retainCallsDays: number | null;
  retainRecordingsDays: number | null;
  retainAttemptsDays: number | null;
  retainContactsDays: number | null;
  webhookSecret: string;
  /** After a rotation: also signs until it expires [webhooks.7]. */
  oldWebhookSecret: { secret: string; expiresAt: Date } | undefined;
};

export type WorkspaceSettings = Partial<
  Pick<
    Workspace,
    | 'name'
    | 'timeZone'
    | 'rateCents'
    | 'maxLiveCalls'
    | 'requestsPerMinute'
    | 'requestBurst'
    | 'callsPerSecond'
    | 'callBurst'
    | 'allowedDestinations'
    | 'dailySpendLimitCents'
    | 'retainCallsDays'
    | 'retainRecordingsDays'
    | 'retainAttemptsDays'
    | 'retainContactsDays'
    | 'maxStoredMb'
  >
>;

/** The secrets that sign at present, the current one first. */
export function signingSecrets({ webhookSecret, oldWebhookSecret }: Workspace, clock: Clock): string[] {
  const old = oldWebhookSecret && oldWebhookSecret.expiresAt > clock.now() ? [oldWebhookSecret.secret] : [];
  return [webhookSecret, ...old];
}

const BYTES_PER_MB = 1_000_000;

/** The secret's location, so that a ciphertext cannot be decrypted in another row. */
export const webhookSecretPlace = (id: string): string => `workspaces:webhook_secret:${id}`;

type Deps = { prisma: PrismaClient; box: SecretBox; pepper: string; clock: Clock };

export type WorkspaceStore = ReturnType<typeof createWorkspaceStore>;

export function createWorkspaceStore({ prisma, box, pepper, clock }: Deps) {
  /** Undefined: no such workspace. */
  const lock = async (tx: Tx, id: string): Promise<WorkspaceRow | undefined> => {
    await tx.$queryRaw`SELECT 1 FROM workspaces WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
    return (await tx.workspace.findUnique({ where: { id } })) ?? undefined;
  };
  return {
    ...createWorkspaceKeys({ prisma, pepper, clock }),

    /** With its first keys. */
    create: (
      { id, name, webhookSecret }: { id: string; name: string; webhookSecret: string },
      keys: readonly NewKey[],
      by: Changer,
    ): Promise<void> =>
      inTransaction(prisma, async (tx) => {
        const now = clock.now();
        await tx.workspace.create({
          data: {
            id,
            name,
            webhookSecret: box.seal(webhookSecret, webhookSecretPlace(id)),
            createdAt: now,
            updatedAt: now,
            keys: { create: keys.map((key) => ({ ...keyRow(key, pepper, now), createdBy: nameOf(by) })) },
          },
        });
        const target = { type: 'workspace', id, name };
        await addAuditEntry(tx, changedBy(by, id), { action: 'workspace.created', target, at: now });
      }),

    find: async (id: string): Promise<Workspace | undefined> => {
      const row = await prisma.workspace.findUnique({ where: { id } });
      return row ? toWorkspace(row, box) : undefined;
    },

    /** The oldest first. */
    list: () =>
      prisma.workspace.findMany({
        select: { id: true, name: true, createdAt: true, suspendedAt: true },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      }),

    /** The largest first. */
    listStored: (limit: number, id?: string) =>
      prisma.workspace.findMany({
        where: id ? { id } : {},
        select: { id: true, name: true, storedMb: true, maxStoredMb: true },
        orderBy: [{ storedMb: 'desc' }, { id: 'asc' }],
        take: limit,
      }),

    /** Missing settings stay unchanged. False: no such workspace. */
    set: (id: string, settings: WorkspaceSettings, by: Changer): Promise<boolean> =>
      inTransaction(prisma, async (tx) => {
        const now = clock.now();
        const before = await lock(tx, id);
        if (!before) return false;
        if (by.kind === 'member') requireMaySet(await currentRole(tx, by), settings);
        const { allowedDestinations, ...others } = settings;
        const data = {
          ...others,
          ...retentionChange(settings, now),
          ...(allowedDestinations ? { allowedDestinations: [...allowedDestinations] } : {}),
        };
        await tx.workspace.update({ where: { id }, data: { ...data, updatedAt: now } });
        const changes = changesBetween(shownSettings(before), shownSettings(settings));
        const target = { type: 'workspace', id, name: before.name };
        const action = isLimits(settings) ? 'workspace.limits_changed' : 'workspace.changed';
        const entry = { action, target, changes, at: now };
        if (Object.keys(changes).length > 0) await addAuditEntry(tx, changedBy(by, id), entry);
        return true;
      }),

    /** Idempotent. False: no such workspace. */
    setSuspended: (id: string, suspended: boolean, by: Changer): Promise<boolean> =>
      inTransaction(prisma, async (tx) => {
        const now = clock.now();
        const before = await lock(tx, id);
        if (!before) return false;
        if ((before.suspendedAt !== null) === suspended) return true;
        const data = { suspendedAt: suspended ? now : null, updatedAt: now };
        await tx.workspace.update({ where: { id }, data });
        const target = { type: 'workspace', id, name: before.name };
        const action = suspended ? 'workspace.suspended' : 'workspace.resumed';
        await addAuditEntry(tx, changedBy(by, id), { action, target, at: now });
        return true;
      }),

    /** Those of the given workspaces that are suspended or being deleted. */
    suspendedOf: async (ids: readonly string[]): Promise<string[]> => {
      const isClosed = [{ suspendedAt: { not: null } }, { deletedAt: { not: null } }];
      const where = { id: { in: [...ids] }, OR: isClosed };
      return (await prisma.workspace.findMany({ where, select: { id: true } })).map(({ id }) => id);
    },

    /** `finish` runs in the transaction, and returns the response. Undefined: no such workspace. */
    rotateSecret: <T>(
      id: string,
      { secret, oldExpiresAt }: { secret: string; oldExpiresAt: Date },
      by: Changer,
      finish: (tx: Tx) => Promise<T>,
    ): Promise<T | undefined> =>
      inTransaction(prisma, async (tx) => {
        // The workspace before its member, as changes of members lock them.
        if (!(await lock(tx, id))) return undefined;
        if (by.kind === 'member') requireAdmin(await currentRole(tx, by));
        const now = clock.now();
        // In one statement: the later of two concurrent rotations keeps the earlier one's secret as the old one.
        await tx.$executeRaw`
          UPDATE workspaces SET old_webhook_secret = webhook_secret, old_secret_expires_at = ${oldExpiresAt},
            webhook_secret = ${box.seal(secret, webhookSecretPlace(id))}, updated_at = ${now}
          WHERE id = ${id}::uuid`;
        const target = { type: 'webhook_secret', id };
        const changes = { secret: SECRET_CHANGE, old_secret_expires_at: { to: oldExpiresAt } };
        const entry = { action: 'webhook_secret.rotated', target, changes, at: now };
        await addAuditEntry(tx, changedBy(by, id), entry);
        return finish(tx);
      }),

    /** Bytes by workspace; a missing workspace stores nothing. */
    recordStored: async (bytesByWorkspace: ReadonlyMap<string, number>): Promise<void> => {
      const ids = [...bytesByWorkspace.keys()];
      const mb = [...bytesByWorkspace.values()].map((bytes) => Math.ceil(bytes / BYTES_PER_MB));
      // Only changed rows, locked in the order of their ids, so that two replicas never deadlock.
      await prisma.$executeRaw`
        WITH changed AS (
          SELECT w.id, coalesce(given.mb, 0) AS mb FROM workspaces w
          LEFT JOIN unnest(${ids}::uuid[], ${mb}::int[]) AS given (id, mb) ON given.id = w.id
          WHERE w.stored_mb <> coalesce(given.mb, 0)
          ORDER BY w.id FOR NO KEY UPDATE OF w
        )
        UPDATE workspaces w SET stored_mb = changed.mb FROM changed WHERE changed.id = w.id`;
    },

    /** `maxStoredMb`: of workspaces without a quota of their own. */
    countOverQuota: async (maxStoredMb: number | null): Promise<number> => {
      const statement = sql`SELECT count(*)::int AS count FROM workspaces
        WHERE stored_mb > coalesce(max_stored_mb, ${maxStoredMb}::int)`;
      return (await queryRow(prisma, countRow, statement))?.count ?? 0;
    },
  };
}

/** The others are limits, and rules on data. */
const isLimits = (settings: WorkspaceSettings): boolean =>
  Object.keys(settings).some((name) => name !== 'name' && name !== 'timeZone');

/** Admins change the name and the time zone, owners all settings [analytics.13]. */
function requireMaySet(role: Role | undefined, settings: WorkspaceSettings): void {
  if (isLimits(settings)) requireOwner(role);
  else requireAdmin(role);
}

/** Settings by their names in the API and in the operator's command. */
function shownSettings(settings: WorkspaceSettings): Record<string, unknown> {
  const shown = {
    name: settings.name,
    time_zone: settings.timeZone,
    rate_cents: settings.rateCents,
    requests_per_minute: settings.requestsPerMinute,
    request_burst: settings.requestBurst,
    calls_per_second: settings.callsPerSecond,
    call_burst: settings.callBurst,
    max_live_calls: settings.maxLiveCalls,
    allowed_destinations: settings.allowedDestinations,
    daily_spend_limit_cents: settings.dailySpendLimitCents,
    retain_calls_days: settings.retainCallsDays,
    retain_recordings_days: settings.retainRecordingsDays,
    retain_attempts_days: settings.retainAttemptsDays,
    retain_contacts_days: settings.retainContactsDays,
    max_stored_mb: settings.maxStoredMb,
  };
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined));
}

/** Makes the next retention round apply the new setting. */
function retentionChange(settings: WorkspaceSettings, now: Date): { retentionChangedAt?: Date } {
  return Object.keys(settings).some((name) => name.startsWith('retain')) ? { retentionChangedAt: now } : {};
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
    timeZone: row.timeZone,
    rateCents: row.rateCents,
    suspendedAt: row.suspendedAt,
    deletedAt: row.deletedAt,
    allowedDestinations: row.allowedDestinations,
    dailySpendLimitCents: row.dailySpendLimitCents,
    createdAt: row.createdAt,
    maxLiveCalls: row.maxLiveCalls,
    requestsPerMinute: row.requestsPerMinute,
    requestBurst: row.requestBurst,
    maxStoredMb: row.maxStoredMb,
    callsPerSecond: row.callsPerSecond,
    callBurst: row.callBurst,
    retainCallsDays: row.retainCallsDays,
    retainRecordingsDays: row.retainRecordingsDays,
    retainAttemptsDays: row.retainAttemptsDays,
    retainContactsDays: row.retainContactsDays,
    webhookSecret: box.open(row.webhookSecret, webhookSecretPlace(row.id)),
    oldWebhookSecret: old,
  };
}
