import { queryRow, type SqlClient, sql } from '@parley/kit/db';
import { z } from 'zod';
import type { WithoutErased } from '../sessions/without-erased.ts';

export type SaveLegState = (reference: string, state: unknown) => Promise<void>;

const heldRow = z.object({ workspaceId: z.string(), readAt: z.date() });

/**
 * Stores what an adapter needs to continue a leg in another worker: `LegSoFar.state`. Numbers that were erased since the call began are
 * masked. Rejects if this worker no longer holds the call, or the call is over.
 */
export function createLegStates(
  client: SqlClient,
  workerId: string,
  withoutErased: WithoutErased,
): SaveLegState {
  return async (reference, state) => {
    const held = sql`id = ${reference}::uuid AND worker_id = ${workerId}::uuid AND status <> 'completed'`;
    const call = await queryRow(
      client,
      heldRow,
      sql`SELECT workspace_id::text AS "workspaceId", least(created_at, clock_timestamp()) AS "readAt" FROM calls WHERE ${held}`,
    );
    const json = call && JSON.stringify(await withoutErased(call, state));
    const count = call
      ? await client.$executeRaw(sql`UPDATE calls SET carrier_state = ${json}::json WHERE ${held}`)
      : 0;
    if (count !== 1) throw new Error('The call is over, or with another worker');
  };
}

const stateRow = z.object({ state: z.unknown() });

/** The state that any worker stored last for a live call; null: none. */
export function createReadLegState(client: SqlClient) {
  return async (reference: string): Promise<unknown> =>
    (
      await queryRow(
        client,
        stateRow,
        sql`SELECT carrier_state AS state FROM calls WHERE id = ${reference}::uuid AND status <> 'completed'`,
      )
    )?.state ?? null;
}
