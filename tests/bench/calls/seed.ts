import { randomUUID } from 'node:crypto';
import type { SqlClient } from '@parley/testkit';

export type Line = { phoneNumberId: string; phoneNumber: string };

/** Numbers whose total `max_cps` exceeds the rate of the bench. */
export async function seedLines(
  sql: SqlClient,
  workspaceId: string,
  lines: number,
  maxCps: number,
): Promise<Line[]> {
  const seeded = Array.from({ length: lines }, (_, i) => ({
    phoneNumberId: randomUUID(),
    phoneNumber: `+1555${String(1_000_000 + i)}`,
  }));
  const now = new Date().toISOString();
  for (const { phoneNumberId, phoneNumber } of seeded) {
    await sql.$executeRaw`INSERT INTO phone_numbers (id, workspace_id, phone_number, provider, max_cps, created_at, updated_at)
       VALUES (${phoneNumberId}::uuid, ${workspaceId}::uuid, ${phoneNumber}, 'hosted_sip', ${maxCps}, ${now}::timestamptz, ${now}::timestamptz)`;
    await sql.$executeRaw`INSERT INTO number_clocks (phone_number_id, next_dial_at) VALUES (${phoneNumberId}::uuid, ${now}::timestamptz)`;
  }
  return seeded;
}
