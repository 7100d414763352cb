import type { Sql } from '../db/index.ts';

/**
 * Whether this consumer sees the message for the first time: true exactly once per (consumer, message), and only
 * if the transaction commits. A second transaction waits for the first and learns of its fate.
 * `consumer` names the effect, not the queue: two effects of a message are two consumers.
 */
export async function once(tx: Sql, consumer: string, messageId: string): Promise<boolean> {
  const inserted = await tx.$executeRawUnsafe(
    'INSERT INTO inbox (consumer, message_id) VALUES ($1, $2::uuid) ON CONFLICT DO NOTHING',
    consumer,
    messageId,
  );
  return inserted === 1;
}
