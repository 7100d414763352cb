import { type SqlClient, sql } from '@parley/kit/db';
import type { Call } from './call.ts';

/** Stores what a live model needs to continue a call over another connection: `Call.modelState`. Only while this worker holds the call. */
export function createModelStates(client: SqlClient, workerId: string) {
  return async ({ id, fence }: Pick<Call, 'id' | 'fence'>, state: unknown): Promise<void> => {
    await client.$executeRaw(sql`UPDATE calls SET model_state = ${JSON.stringify(state)}::json
      WHERE id = ${id}::uuid AND worker_id = ${workerId}::uuid AND fence = ${fence} AND status <> 'completed'`);
  };
}
