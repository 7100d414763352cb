import { queryRow, type SqlClient, sql } from '@parley/kit/db';
import { z } from 'zod';

const row = z.object({
  workspaceId: z.string(),
  phoneNumberId: z.string().nullable(),
  ownNumber: z.string().nullable(),
});

/** Our number in a call. Rejects if the call does not exist. */
export async function readOwnNumber(client: SqlClient, callId: string): Promise<z.infer<typeof row>> {
  const found = await queryRow(
    client,
    row,
    sql`SELECT workspace_id::text AS "workspaceId", phone_number_id::text AS "phoneNumberId",
      CASE call_type WHEN 'inbound' THEN to_number ELSE from_number END AS "ownNumber"
      FROM calls WHERE id = ${callId}::uuid`,
  );
  if (!found) throw new Error('The call does not exist');
  return found;
}
