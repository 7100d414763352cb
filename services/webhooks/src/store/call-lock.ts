import type { Sql } from '@parley/kit/db';

const LOCK = `
SELECT pg_advisory_xact_lock(key)::text
FROM (SELECT DISTINCT hashtextextended(id::text, 0) AS key FROM unnest($1::uuid[]) AS id ORDER BY key) calls`;

/**
 * Held until the end of the transaction: whoever adds an event to a call or finishes one holds it, so that "is the
 * earlier one finished" and "release the next one" never miss each other. Always in the same order, however many at
 * once and however a client spells their ids.
 */
export async function lockCalls(tx: Sql, callIds: readonly string[]): Promise<void> {
  await tx.$queryRawUnsafe(LOCK, callIds);
}
