import { queryRows, type SqlClient, sql } from '@parley/kit/db';
import type { LegRecord } from './leg-record.ts';
import { LEG_COLUMNS, legRow } from './leg-store.ts';

type Caller = {
  legId: string;
  reference: string;
  workspaceId: string;
  from: string;
  to: string;
  /** The caller's lines; null: they follow from its number. */
  script: readonly string[] | null;
  at: Date;
  givesUpAt: Date;
};

/** Simulated callers, until a worker has taken their call. */
export type CallerStore = {
  insert(tx: SqlClient, caller: Caller): Promise<void>;
  /** Up to `limit` calls that no worker has taken, leased to this process for two seconds. */
  offer(limit: number): Promise<LegRecord[]>;
  taken(legId: string): Promise<void>;
};

export function createCallerStore(client: SqlClient): CallerStore {
  return {
    insert: async (tx, { legId, reference, workspaceId, from, to, at, givesUpAt, script }) => {
      await tx.$executeRaw(sql`
        INSERT INTO simulated_legs (id, reference, workspace_id, from_number, to_number, ordinal, originated_at,
          direction, gives_up_at, script)
        VALUES (${legId}::uuid, ${reference}::uuid, ${workspaceId}::uuid, ${from}, ${to}, 0,
          ${at.toISOString()}::timestamptz, 'inbound', ${givesUpAt.toISOString()}::timestamptz,
          ${script && JSON.stringify(script)}::json)`);
    },
    offer: (limit) =>
      queryRows(
        client,
        legRow,
        sql`
          UPDATE simulated_legs SET offered_until = clock_timestamp() + interval '2 seconds'
          WHERE id IN (
            SELECT id FROM simulated_legs
            WHERE direction = 'inbound' AND NOT taken
              AND (offered_until IS NULL OR offered_until < clock_timestamp())
            ORDER BY originated_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          )
          RETURNING ${LEG_COLUMNS}`,
      ),
    taken: async (legId) => {
      await client.$executeRaw(sql`UPDATE simulated_legs SET taken = true WHERE id = ${legId}::uuid`);
    },
  };
}
