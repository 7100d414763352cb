import { queryRow, type SqlClient, sql } from '@parley/kit/db';
import { z } from 'zod';

/** Stores what an adapter needs to continue a leg in another worker: `LegSoFar.state`. Only while this worker holds the call. */
export function createLegStates(client: SqlClient, workerId: string) {
  return async (reference: string, state: unknown): Promise<void> => {
    await client.$executeRaw(sql`UPDATE calls SET carrier_state = ${JSON.stringify(state)}::json
      WHERE id = ${reference}::uuid AND worker_id = ${workerId}::uuid AND status <> 'completed'`);
  };
}

const stateRow = z.object({ state: z.unknown() });

/** What was stored last of a call that is not over, by any worker; null: nothing. */
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
