import type { Amqp } from '../amqp/index.ts';
import type { DedicatedConnection } from '../db/index.ts';
import { oldestRows } from './oldest-rows.ts';
import { type OutboxRow, publicationOf } from './publication-of.ts';

const BATCH = 200;

/**
 * An asynchronous commit: if Postgres loses it in a crash, the messages are published again, which consumers tolerate.
 */
const BEGIN = 'BEGIN; SET LOCAL synchronous_commit = off';

/**
 * Runs in one round trip with BEGIN. The array is computed once; with IN the planner may repeat the limited subquery and delete more rows
 * than it locked.
 */
const CLAIM = `${BEGIN};
  WITH ${oldestRows(BATCH)}, claimed AS (
    DELETE FROM outbox WHERE id = ANY (ARRAY (SELECT id FROM chosen))
    RETURNING id, message_id, type, payload, traceparent
  )
  SELECT message_id::text, type, payload, traceparent, (SELECT count(*)::int FROM locked) AS locked FROM claimed ORDER BY id`;

type ClaimedRow = OutboxRow & { locked: number };

export type Relayed = { types: string[]; more: boolean };

/**
 * Publishes the oldest messages (up to 200, of some megabytes) and deletes their rows in one transaction, which commits after the broker has confirmed all of them and
 * rolls back otherwise. A crash between confirm and commit publishes twice. Locked rows are skipped, so that several relays can run.
 * Rejects with `MessageRefusedError` if the broker refuses a message: `isolateRefused` finds it.
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
    const locked = rows[0]?.locked ?? 0;
    return { types: rows.map(({ type }) => type), more: locked === BATCH || locked > rows.length };
  } finally {
    client.release(failed); // Closing the connection rolls back in any state.
  }
}

/** The driver returns one result per statement. */
function rowsOf(results: unknown): ClaimedRow[] {
  return (results as { rows: ClaimedRow[] }[]).at(-1)?.rows ?? [];
}
