import { campaignStatus } from '@parley/contracts';
import { queryRow, queryRows, type SqlClient, type Statement, sql } from '@parley/kit/db';
import type { Outbox } from '@parley/kit/outbox';
import { z } from 'zod';
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';

// Owners call campaigns before they delete a dependency of campaigns (ADR 14). A retirement blocks new campaigns on it for a minute.

export type Dependency = { kind: 'assistant' | 'phone_number'; id: string };

export type RetirementStore = ReturnType<typeof createRetirementStore>;

const FRESH = sql`at > clock_timestamp() - interval '60 seconds'`;
/** In microseconds: renewing a retirement invalidates earlier receipts. */
const RECEIPT = sql`(extract(epoch FROM at) * 1000000)::bigint`;

const keyOf = (workspaceId: string, { kind, id }: Dependency): string =>
  `retire ${workspaceId} ${kind} ${id.toLowerCase()}`;

/** The key of the row. */
const isRow = (workspaceId: string, { kind, id }: Dependency): Statement =>
  sql`workspace_id = ${workspaceId}::uuid AND kind = ${kind} AND id = ${id}::uuid`;

const liveRow = z.object({ id: z.string(), name: z.string(), status: campaignStatus });
const receiptRow = z.object({ receipt: z.string().nullable() });
const retiredRow = z.object({
  kind: z.enum(['assistant', 'phone_number']),
  id: z.string(),
  isFresh: z.boolean(),
});

export function createRetirementStore(
  prisma: PrismaClient,
  transaction: Outbox<Prisma.TransactionClient>['transaction'],
) {
  return {
    /**
     * Unless a live campaign depends on it, blocks new ones for a minute; returns that campaign, the oldest. The receipt
     * lifts the retirement; there is none while a simultaneous deletion may rely on it.
     */
    retire: (workspaceId: string, dependency: Dependency) =>
      transaction(async (tx) => {
        // Creations share this lock, so that they don't wait for each other.
        const key = keyOf(workspaceId, dependency);
        await tx.$executeRaw(sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`);
        const live = await findLive(tx, workspaceId, dependency);
        if (live) return { live, receipt: null };
        const row = await queryRow(
          tx,
          receiptRow,
          sql`
          WITH others AS (SELECT FROM retirements WHERE ${isRow(workspaceId, dependency)} AND ${FRESH})
          INSERT INTO retirements (workspace_id, kind, id)
          VALUES (${workspaceId}::uuid, ${dependency.kind}, ${dependency.id}::uuid)
          ON CONFLICT (workspace_id, kind, id) DO UPDATE SET at = clock_timestamp()
          RETURNING CASE WHEN NOT EXISTS (SELECT FROM others) THEN ${RECEIPT}::text END AS receipt`,
        );
        return { live, receipt: row?.receipt ?? null };
      }),

    /** False: it was renewed since. */
    lift: async (workspaceId: string, dependency: Dependency, receipt: string): Promise<boolean> =>
      (await prisma.$executeRaw(
        sql`DELETE FROM retirements WHERE ${isRow(workspaceId, dependency)} AND ${RECEIPT} = ${receipt}::bigint`,
      )) > 0,

    /** Locks the dependencies against retirement until `tx` ends; returns those that are retired. */
    lock: async (tx: SqlClient, workspaceId: string, dependencies: Dependency[]) => {
      for (const dependency of dependencies) {
        const key = keyOf(workspaceId, dependency);
        await tx.$executeRaw(sql`SELECT pg_advisory_xact_lock_shared(hashtextextended(${key}, 0))`);
      }
      const [kinds, ids] = [dependencies.map(({ kind }) => kind), dependencies.map(({ id }) => id)];
      return queryRows(
        tx,
        retiredRow,
        sql`
        SELECT kind, id::text, ${FRESH} AS "isFresh" FROM retirements
        WHERE workspace_id = ${workspaceId}::uuid
          AND (kind, id) IN (SELECT * FROM unnest(${kinds}::text[], ${ids}::uuid[])) ORDER BY kind`,
      );
    },

    remove: async (tx: SqlClient, workspaceId: string, dependencies: Dependency[]): Promise<void> => {
      for (const dependency of dependencies)
        await tx.$executeRaw(sql`DELETE FROM retirements WHERE ${isRow(workspaceId, dependency)}`);
    },

    /** An upload checks its dependencies when it has been read, and is written within minutes. */
    sweep: async (): Promise<void> => {
      await prisma.$executeRaw(sql`DELETE FROM retirements WHERE at < clock_timestamp() - interval '1 day'`);
    },
  };
}

/** The conditions of `campaigns_live_agent_idx` and `campaigns_live_number_idx`, word for word. */
function findLive(tx: SqlClient, workspaceId: string, { kind, id }: Dependency) {
  const column = kind === 'assistant' ? sql`agent_id` : sql`phone_number_id`;
  return queryRow(
    tx,
    liveRow,
    sql`
    SELECT id::text, name, status FROM campaigns
    WHERE ${column} = ${id}::uuid AND workspace_id = ${workspaceId}::uuid AND status NOT IN ('completed', 'cancelled')
    ORDER BY id LIMIT 1`,
  );
}
