import type { Sql } from '@parley/kit/db';

/** The carrier brings calls to this imported number here from now on (D5.3). */
export async function rememberRoute(sql: Sql, phoneNumber: string, at: Date): Promise<void> {
  await sql.$executeRawUnsafe(
    `INSERT INTO simulated_routes (phone_number, pointed_at) VALUES ($1, $2::timestamptz)
     ON CONFLICT (phone_number) DO UPDATE SET pointed_at = EXCLUDED.pointed_at`,
    phoneNumber,
    at.toISOString(),
  );
}
