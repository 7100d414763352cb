import type { Sql } from '@parley/kit/db';

/**
 * Held until the end of the transaction: whoever adds an event to a call or finishes one holds it, so that "is the
 * earlier one finished" and "release the next one" never miss each other. However a client spells the id.
 */
export async function lockCall(tx: Sql, callId: string): Promise<void> {
  await tx.$executeRawUnsafe(`SELECT pg_advisory_xact_lock(hashtextextended($1::uuid::text, 0))`, callId);
}
