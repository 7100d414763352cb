import type { Sql } from '../db/index.ts';

/** Sorted: two transactions that share messages wait for each other in one order, and never in a circle. */
const REMEMBER = `
INSERT INTO inbox (consumer, message_id) SELECT $1, id FROM unnest($2::uuid[]) AS id ORDER BY id
ON CONFLICT DO NOTHING RETURNING message_id::text AS id`;

/**
 * Of each message, whether this consumer sees it for the first time: true exactly once per (consumer, message), and only
 * if the transaction commits. A second transaction waits for the first and learns of its fate.
 * `consumer` names the effect, not the queue: two effects of a message are two consumers.
 */
export async function onceEach(tx: Sql, consumer: string, messageIds: readonly string[]): Promise<boolean[]> {
  const rows = await tx.$queryRawUnsafe<{ id: string }[]>(REMEMBER, consumer, messageIds);
  const unseen = new Set(rows.map(({ id }) => id));
  // Postgres spells ids in lower case; of a message that is given twice the first is the one.
  return messageIds.map((id) => unseen.delete(id.toLowerCase()));
}

/** `onceEach` of one message. */
export async function once(tx: Sql, consumer: string, messageId: string): Promise<boolean> {
  const inserted = await tx.$executeRawUnsafe(
    'INSERT INTO inbox (consumer, message_id) VALUES ($1, $2::uuid) ON CONFLICT DO NOTHING',
    consumer,
    messageId,
  );
  return inserted === 1;
}
