import { type SqlClient, sql } from '@parley/kit/db';

/** Whether the carrier sends calls to this imported number to us. */
export async function isPointedHere(
  client: SqlClient,
  workspaceId: string,
  phoneNumber: string,
): Promise<boolean> {
  const rows = await client.$queryRaw<unknown[]>(sql`
    SELECT 1 FROM simulated_number_routes WHERE workspace_id = ${workspaceId}::uuid AND phone_number = ${phoneNumber}`);
  return rows.length > 0;
}

/** From now on the carrier sends calls to this imported number to us [numbers.9]. */
export async function storeRoute(
  client: SqlClient,
  workspaceId: string,
  phoneNumber: string,
  at: Date,
): Promise<void> {
  await client.$executeRaw(sql`
    INSERT INTO simulated_number_routes (workspace_id, phone_number, pointed_at)
    VALUES (${workspaceId}::uuid, ${phoneNumber}, ${at.toISOString()}::timestamptz)
    ON CONFLICT (workspace_id, phone_number) DO UPDATE SET pointed_at = EXCLUDED.pointed_at`);
}
