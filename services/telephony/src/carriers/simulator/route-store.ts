import type { Sql } from '@parley/kit/db';

/** Whether the carrier brings calls to this imported number here. */
export async function isPointedHere(sql: Sql, phoneNumber: string): Promise<boolean> {
  const rows = await sql.$queryRawUnsafe<unknown[]>(
    'SELECT 1 FROM simulated_routes WHERE phone_number = $1',
    phoneNumber,
  );
  return rows.length > 0;
}

/** The carrier brings calls to this imported number here from now on (D5.3). */
export async function rememberRoute(sql: Sql, phoneNumber: string, at: Date): Promise<void> {
  await sql.$executeRawUnsafe(
    `INSERT INTO simulated_routes (phone_number, pointed_at) VALUES ($1, $2::timestamptz)
     ON CONFLICT (phone_number) DO UPDATE SET pointed_at = EXCLUDED.pointed_at`,
    phoneNumber,
    at.toISOString(),
  );
}
