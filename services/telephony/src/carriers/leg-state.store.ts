import { type SqlClient, sql } from '@parley/kit/db';

/** Stores what an adapter needs to continue a leg in another worker: `LegSoFar.state`. Only while this worker holds the call. */
export function createLegStates(client: SqlClient, workerId: string) {
  return async (reference: string, state: unknown): Promise<void> => {
    await client.$executeRaw(sql`UPDATE calls SET carrier_state = ${JSON.stringify(state)}::json
      WHERE id = ${reference}::uuid AND worker_id = ${workerId}::uuid AND status <> 'completed'`);
  };
}
