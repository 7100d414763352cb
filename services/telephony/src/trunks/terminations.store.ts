import { queryRow, queryRows, type SqlClient, sql } from '@parley/kit/db';
import { z } from 'zod';
import { type FairClaim, fairlyClaimed, type JobTable } from '../after-call/fair-claim.ts';
import type { PrismaClient, Tx } from '../prisma.ts';
import type { Health, TrunkState } from './trunk-health.ts';

/** Whether the addresses of a trunk are known, which inbound calls require [sip.36]. */
export type Registration = 'pending' | 'registered' | 'failed';

/** A termination that is due for a check, with a number that uses it. */
export type DueTermination = TrunkState & {
  id: string;
  numberId: string;
  workspaceId: string;
  sealedSecrets: string;
  sealedAddresses: string | null;
};

export type CheckedTermination = TrunkState & {
  id: string;
  workspaceId: string;
  registration: Registration;
  /** Null: unchanged. */
  sealedAddresses: string | null;
  checkedAt: Date;
  againMs: number;
};

const ALL_DUE = new Date('9999-01-01T00:00:00Z');
/** After this time the check of a dead worker is repeated. */
const LEASE_SECONDS = 30;

/** A claim moves the due time by the lease. The database's clock decides: one that is ahead would check a trunk again and again. */
const CHECKS: JobTable = {
  table: sql`terminations`,
  id: sql`id`,
  workspace: sql`workspace_id`,
  dueAt: sql`due_at`,
  isWaiting: sql`true`,
  isFree: sql`due_at <= clock_timestamp()
    AND EXISTS (SELECT FROM phone_numbers n WHERE n.termination = terminations.id AND n.secrets IS NOT NULL)`,
};

const dueRow = z.object({
  id: z.string(),
  numberId: z.string(),
  workspaceId: z.string(),
  sealedSecrets: z.string(),
  sealedAddresses: z.string().nullable(),
  health: z.enum(['unknown', 'up', 'down']),
  failures: z.number(),
  reason: z.string().nullable(),
  since: z.date().nullable(),
});
const editionRow = z.object({ edition: z.string() });
const addressesRow = z.object({ id: z.string(), workspaceId: z.string(), sealed: z.string() });

/** Call in the transaction that connects the number; another number may have added the termination already. */
export async function addTermination(tx: SqlClient, id: string, workspaceId: string): Promise<void> {
  await tx.$executeRaw(
    sql`INSERT INTO terminations (id, workspace_id) VALUES (${id}::uuid, ${workspaceId}::uuid) ON CONFLICT DO NOTHING`,
  );
}

/** Call in the transaction that deletes a number. */
export async function removeUnusedTermination(tx: SqlClient, id: string): Promise<void> {
  await tx.$executeRaw(sql`DELETE FROM terminations WHERE id = ${id}::uuid
    AND NOT EXISTS (SELECT FROM phone_numbers WHERE termination = ${id}::uuid)`);
}

export type Terminations = ReturnType<typeof createTerminations>;

export function createTerminations(client: SqlClient) {
  return {
    /** Claims terminations whose check is due; workspaces take turns. */
    claim: (claim: Omit<FairClaim, 'now'>): Promise<DueTermination[]> =>
      queryRows(
        client,
        dueRow,
        sql`WITH due AS (
            UPDATE terminations SET due_at = clock_timestamp() + ${LEASE_SECONDS} * interval '1 second'
            WHERE id = ANY (ARRAY (${fairlyClaimed(CHECKS, { ...claim, now: ALL_DUE })}))
            RETURNING id, health, failures, reason, since, addresses
          )
          SELECT due.id::text, due.health, due.failures, due.reason, due.since, due.addresses AS "sealedAddresses",
            n.id::text AS "numberId", n.workspace_id::text AS "workspaceId", n.secrets AS "sealedSecrets" FROM due
          CROSS JOIN LATERAL (SELECT id, workspace_id, secrets FROM phone_numbers WHERE termination = due.id AND secrets IS NOT NULL
            ORDER BY id LIMIT 1) n`,
      ),

    record: async (tx: SqlClient, checked: CheckedTermination): Promise<void> => {
      const { id, workspaceId, registration, health, failures, reason, since, checkedAt } = checked;
      const { sealedAddresses, againMs } = checked;
      await tx.$executeRaw(sql`
        UPDATE terminations SET registration = ${registration}, health = ${health}, failures = ${failures}, reason = ${reason},
          since = ${since}::timestamptz, checked_at = ${checkedAt}::timestamptz,
          addresses = coalesce(${sealedAddresses}, addresses), workspace_id = ${workspaceId}::uuid,
          due_at = clock_timestamp() + ${againMs} * interval '1 millisecond'
        WHERE id = ${id}::uuid`);
    },

    /** Removes those that no number has used for an hour: numbers may have moved to another one, whose addresses are not known yet. */
    sweep: async (): Promise<number> =>
      client.$executeRaw(sql`DELETE FROM terminations t
        WHERE NOT EXISTS (SELECT FROM phone_numbers n WHERE n.termination = t.id)
          AND (checked_at IS NULL OR checked_at < clock_timestamp() - interval '1 hour')`),

    /** Changes whenever an address list may have changed. */
    edition: async (): Promise<string> => {
      const row = await queryRow(
        client,
        editionRow,
        sql`SELECT coalesce(md5(string_agg(md5(addresses), '' ORDER BY id)), '') AS edition FROM terminations
          WHERE registration = 'registered'`,
      );
      return row?.edition ?? '';
    },

    addresses: () =>
      queryRows(
        client,
        addressesRow,
        sql`SELECT id::text, workspace_id::text AS "workspaceId", addresses AS sealed FROM terminations
          WHERE registration = 'registered' AND addresses IS NOT NULL ORDER BY id`,
      ),
  };
}

/** What the API shows of a number's trunk. */
export type TrunkView = {
  registration: Registration;
  health: Health;
  reason: string | null;
  since: Date | null;
  checkedAt: Date | null;
};

/** By termination. */
export async function findTrunkViews(
  client: Pick<PrismaClient, 'termination'> | Tx,
  ids: readonly string[],
): Promise<Map<string, TrunkView>> {
  if (ids.length === 0) return new Map();
  const rows = await client.termination.findMany({ where: { id: { in: [...new Set(ids)] } } });
  return new Map(rows.map((row) => [row.id, viewRow.parse(row)]));
}

const viewRow = z.object({
  registration: z.enum(['pending', 'registered', 'failed']),
  health: z.enum(['unknown', 'up', 'down']),
  reason: z.string().nullable(),
  since: z.date().nullable(),
  checkedAt: z.date().nullable(),
});
