import { queryRow, type SqlClient, sql } from '@parley/kit/db';
import { z } from 'zod';

/**
 * Stores what an adapter needs to continue a leg in another worker: `LegSoFar.state`. Rejects if this worker no longer holds the
 * call, or the call is over.
 */
export function createLegStates(client: SqlClient, workerId: string) {
  return async (reference: string, state: unknown): Promise<void> => {
    const count = await client.$executeRaw(sql`UPDATE calls SET carrier_state = ${JSON.stringify(state)}::json
      WHERE id = ${reference}::uuid AND worker_id = ${workerId}::uuid AND status <> 'completed'`);
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
