import type { Amqp, Publication } from '../amqp/index.ts';
import { type Sql, type Transactional, transaction } from '../db/index.ts';

const BATCH = 200;
/** Longer than a confirm may take, so that a slow broker is told from a slow database. */
const TRANSACTION = { maxWaitMs: 5_000, timeoutMs: 15_000, attempts: 1 };

/**
 * The array is computed once; with IN the planner may run the limited subquery again and delete more than it locked.
 * The commit doesn't wait for the disk: when Postgres crashes and forgets it, the messages are published again,
 * which can happen anyway.
 */
const CLAIM = `
  WITH claimed AS (
    DELETE FROM outbox
    WHERE id = ANY (ARRAY (SELECT id FROM outbox ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
    RETURNING id, message_id, type, payload, traceparent
  )
  SELECT message_id::text, type, payload, traceparent, set_config('synchronous_commit', 'off', true)
  FROM claimed ORDER BY id`;

type Row = { message_id: string; type: string; payload: string; traceparent: string | null };

export type Relayed = { types: string[]; more: boolean };

/**
 * Publishes the oldest messages and deletes their rows, in one transaction that commits when the broker has confirmed
 * all of them. A broken broker rolls it back; a crash between the confirm and the commit publishes twice.
 * Rows that another relay holds are skipped, so any number of relays can run at once.
 */
export async function relayBatch<Tx extends Sql>(
  prisma: Transactional<Tx>,
  publish: Amqp['publish'],
): Promise<Relayed> {
  const work = async (tx: Tx): Promise<Relayed> => {
    const rows = await tx.$queryRawUnsafe<Row[]>(CLAIM, BATCH);
    await Promise.all(rows.map((row) => publish(publicationOf(row))));
    return { types: rows.map(({ type }) => type), more: rows.length === BATCH };
  };
  return transaction(prisma, work, TRANSACTION);
}

function publicationOf({ message_id, type, payload, traceparent }: Row): Publication {
  return { id: message_id, type, payload, traceparent: traceparent ?? undefined };
}
