import { z } from 'zod';
import { queryRows, type SqlClient, sql } from '../db/index.ts';

const insertedRow = z.object({ id: z.string() });

/**
 * Records the messages as handled by this consumer, in the transaction of their effect. Returns whether each message is new: true
 * exactly once per consumer and message, if the transaction commits; a concurrent transaction waits for that. `consumer` names the
 * effect, not the queue: two effects of a message are two consumers.
 */
export async function onceEach(
  tx: SqlClient,
  consumer: string,
  messageIds: readonly string[],
): Promise<boolean[]> {
  // Sorted, so that two transactions with common messages lock them in the same order.
  const rows = await queryRows(
    tx,
    insertedRow,
    sql`INSERT INTO inbox (consumer, message_id)
      SELECT ${consumer}, id FROM unnest(${messageIds}::uuid[]) AS id ORDER BY id
      ON CONFLICT DO NOTHING RETURNING message_id::text AS id`,
  );
  const unseen = new Set(rows.map(({ id }) => id));
  // Postgres returns ids in lower case. If a message occurs twice, only the first occurrence is new.
  return messageIds.map((id) => unseen.delete(id.toLowerCase()));
}

/** `onceEach` of one message. */
export async function once(tx: SqlClient, consumer: string, messageId: string): Promise<boolean> {
  const inserted = await tx.$executeRaw(
    sql`INSERT INTO inbox (consumer, message_id) VALUES (${consumer}, ${messageId}::uuid) ON CONFLICT DO NOTHING`,
  );
  return inserted === 1;
}
