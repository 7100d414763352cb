import type { Amqp, Publication } from '../amqp/index.ts';
import type { DedicatedConnection } from '../db/index.ts';

const BATCH = 200;

/**
 * The commit doesn't wait for the disk: when Postgres crashes and forgets it, the messages are published again,
 * which can happen anyway.
 */
const BEGIN = 'BEGIN; SET LOCAL synchronous_commit = off';

/**
 * In one round trip with the beginning. The array is computed once; with IN the planner may run the limited subquery again
 * and delete more than it locked.
 */
const CLAIM = `${BEGIN};
  WITH claimed AS (
    DELETE FROM outbox
    WHERE id = ANY (ARRAY (SELECT id FROM outbox ORDER BY id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))
    RETURNING id, message_id, type, payload, traceparent
  )
  SELECT message_id::text, type, payload, traceparent FROM claimed ORDER BY id`;

type Row = { message_id: string; type: string; payload: string; traceparent: string | null };

export type Relayed = { types: string[]; more: boolean };

/**
 * Publishes the oldest messages and deletes their rows, in one transaction that commits when the broker has confirmed
 * all of them. A broken broker rolls it back; a crash between the confirm and the commit publishes twice.
 * Rows that another relay holds are skipped, so any number of relays can run at once.
 */
export async function relayBatch(
  connection: DedicatedConnection,
  publish: Amqp['publish'],
): Promise<Relayed> {
  const client = await connection.connect();
  let failed = true;
  try {
    const rows = rowsOf(await client.query(CLAIM));
    await Promise.all(rows.map((row) => publish(publicationOf(row))));
    await client.query('COMMIT');
    failed = false;
    return { types: rows.map(({ type }) => type), more: rows.length === BATCH };
  } finally {
    client.release(failed); // Closing the connection rolls back, whatever state it is in.
  }
}

/** Of several statements the driver gives several results. */
function rowsOf(results: unknown): Row[] {
  return (results as { rows: Row[] }[]).at(-1)?.rows ?? [];
}

function publicationOf({ message_id, type, payload, traceparent }: Row): Publication {
  return { id: message_id, type, payload, traceparent: traceparent ?? undefined };
}
