import type { Message, MessageData, AuditEntry as ShownEntry } from '@parley/contracts';
import { type AuditEntry, newAuditRecord } from '@parley/kit/audit';
import { type SqlClient, type Statement, sql } from '@parley/kit/db';
import type { ChangedBy } from '@parley/kit/http';
import { newId } from '@parley/kit/ids';
import type { Prisma, AuditLogEntry as Row } from '../generated/prisma/client.ts';
import type { Page } from '../page.ts';
import { type AccountChange, changedBy } from '../people/changes.ts';
import { inTransaction, type PrismaClient, type Tx } from '../prisma.ts';

export type AuditFilter = {
  actor?: string | undefined;
  action?: string | undefined;
  target?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
};

type NewEntry = {
  id: string;
  workspaceId: string;
  at: Date | string;
  requestId: string | undefined;
  data: MessageData<'audit.recorded'>;
};

const SWEEP_BATCH = 1_000;

/** Records a change of the gateway's own in the transaction that makes it [trust.17]. */
export async function addAuditEntry(tx: SqlClient, by: ChangedBy, entry: AuditEntry): Promise<void> {
  const { workspaceId, requestId } = by;
  await insert(tx, { id: newId(), workspaceId, at: entry.at, requestId, data: newAuditRecord(by, entry) });
}

/** Records a change of a person's own account in the log of each workspace that they are a member of. */
export async function addAccountEntries(
  tx: Tx,
  personId: string,
  by: AccountChange,
  { action, at }: { action: `member.${string}`; at: Date },
): Promise<void> {
  const members = await tx.member.findMany({ where: { personId }, orderBy: { id: 'asc' } });
  for (const { id, workspaceId, email } of members) {
    const changer = by.kind === 'operator' ? by : { ...by, kind: 'member' as const, memberId: id, email };
    const target = { type: 'member', id, name: email };
    await addAuditEntry(tx, changedBy(changer, workspaceId), { action, target, at });
  }
}

export type AuditLog = ReturnType<typeof createAuditLog>;

export function createAuditLog(prisma: PrismaClient) {
  return {
    /** Stores an entry of another service; a repeated message has no effect. */
    store: ({ id, workspace_id, occurred_at, request_id, data }: Message<'audit.recorded'>) =>
      insert(prisma, { id, workspaceId: workspace_id, at: occurred_at, requestId: request_id, data }),

    /** Newest first. */
    list: async (workspaceId: string, filter: AuditFilter, { limit, offset }: Page) => {
      const where = whereOf(workspaceId, filter);
      const [rows, total] = await Promise.all([
        prisma.auditLogEntry.findMany({
          where,
          orderBy: [{ at: 'desc' }, { id: 'desc' }],
          take: limit,
          skip: offset,
        }),
        prisma.auditLogEntry.count({ where }),
      ]);
      return { items: rows.map(toShown), total };
    },

    /** Deletes a batch of older entries; true if there may be more. */
    removeBefore: (at: Date) =>
      inTransaction(prisma, async (tx) => {
        // The table's trigger rejects any other deletion.
        await tx.$executeRaw`SELECT set_config('parley.audit_retention', 'on', true)`;
        const removed = await tx.$executeRaw`
          DELETE FROM audit_log WHERE id IN (
            SELECT id FROM audit_log WHERE at < ${at} ORDER BY at LIMIT ${SWEEP_BATCH} FOR UPDATE SKIP LOCKED)`;
        return removed === SWEEP_BATCH;
      }),
  };
}

/** Other services may know only the id of a key or a member, so the name is looked up here. */
async function insert(client: SqlClient, { id, workspaceId, at, requestId, data }: NewEntry): Promise<void> {
  const { actor, target } = data;
  const actorName = sql`COALESCE(${actor.name}::text, ${nameOf(actor)})`;
  await client.$executeRaw(sql`
    INSERT INTO audit_log (id, workspace_id, at, actor_kind, actor_id, actor_name, address, request_id, action,
      target_type, target_id, target_name, changes)
    VALUES (${id}::uuid, ${workspaceId}::uuid, ${typeof at === 'string' ? at : at.toISOString()}::timestamptz,
      ${actor.kind}, ${actor.id}, ${actorName}, ${data.address}, ${requestId ?? null}, ${data.action},
      ${target.type}, ${target.id}, ${target.name}, ${JSON.stringify(data.changes)}::jsonb)
    ON CONFLICT (id) DO NOTHING`);
}

function nameOf({ kind, id }: MessageData<'audit.recorded'>['actor']): Statement {
  if (kind === 'key' || kind === 'public_key') return sql`(SELECT name FROM api_keys WHERE id = ${id}::uuid)`;
  return kind === 'member' ? sql`(SELECT email FROM members WHERE id = ${id}::uuid)` : sql`NULL::text`;
}

function whereOf(workspaceId: string, filter: AuditFilter): Prisma.AuditLogEntryWhereInput {
  const { actor, action, target, from, to } = filter;
  const isKind = action !== undefined && !action.includes('.');
  return {
    workspaceId,
    ...(actor ? { OR: [{ actorId: actor }, { actorName: actor }] } : {}),
    ...(action ? { action: isKind ? { startsWith: `${action}.` } : action } : {}),
    ...(target ? { targetId: target } : {}),
    ...(from || to ? { at: { ...(from ? { gte: from } : {}), ...(to ? { lte: to } : {}) } } : {}),
  };
}

function toShown(row: Row): ShownEntry {
  return {
    id: row.id,
    at: row.at.toISOString(),
    action: row.action,
    actor: { kind: row.actorKind as ShownEntry['actor']['kind'], id: row.actorId, name: row.actorName },
    address: row.address,
    request_id: row.requestId,
    target: { type: row.targetType, id: row.targetId, name: row.targetName },
    changes: row.changes as ShownEntry['changes'],
  };
}
