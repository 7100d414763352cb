import type { PoolClient } from 'pg';
import { type Amqp, MessageRefusedError } from '../amqp/index.ts';
import type { DedicatedConnection } from '../db/index.ts';
import type { Log } from '../log/index.ts';
import { monotonicMs, realSleep } from '../time/index.ts';
import { oldestRows } from './oldest-rows.ts';
import { type OutboxRow, publicationOf } from './publication-of.ts';

/** More than a batch of the relay, so that small messages behind a refused one need only one more connection; large ones may need several. */
const BATCH = 400;
/** Maximum wait for a new connection to the broker, which has just closed the last one. */
const RECONNECT_TIMEOUT_MS = 10_000;
const POLL_MS = 10;

const CLAIM = `
  WITH ${oldestRows(BATCH)}
  SELECT id::text, message_id::text, type, payload, traceparent FROM outbox WHERE id = ANY (ARRAY (SELECT id FROM chosen))
  ORDER BY outbox.id`;

const REMOVE = 'DELETE FROM outbox WHERE id = ANY ($1::bigint[])';

const SET_ASIDE = `
  WITH refused AS (DELETE FROM outbox WHERE id = $1::bigint RETURNING *)
  INSERT INTO outbox_refused (message_id, type, workspace_id, payload, traceparent, created_at, reason)
  SELECT message_id, type, workspace_id, payload, traceparent, created_at, $2 FROM refused
  ON CONFLICT (message_id) DO NOTHING`;

type Row = OutboxRow & { id: string };
type Refused = { row: Row; reason: string };

export type Isolated = { published: string[]; refused: string[] };

/**
 * Publishes the oldest messages after the broker has refused one of a batch, and moves those that it refuses to `outbox_refused`. Every
 * refusal costs a connection, so groups are split near their largest messages, which are usually the cause.
 */
export async function isolateRefused(
  connection: DedicatedConnection,
  amqp: Pick<Amqp, 'publish' | 'canPublish'>,
  log: Log,
): Promise<Isolated> {
  const client = await connection.connect();
  let failed = true;
  try {
    await client.query('BEGIN');
    const { rows } = await client.query<Row>(CLAIM);
    const published: Row[] = [];
    const refused: Refused[] = [];
    try {
      const sorted = bySize(rows);
      // The largest one by itself: usually the others then need only one more connection.
      await publishOrRefuse(amqp, sorted.slice(0, -1), 2, { published, refused });
      await publishOrRefuse(amqp, sorted.slice(-1), 1, { published, refused });
    } finally {
      // During an outage the results so far are kept.
      await record(client, published, refused);
      failed = false;
    }
    for (const { row, reason } of refused) {
      const { message_id: messageId, type, payload } = row;
      log.error(
        { messageId, type, bytes: Buffer.byteLength(payload), reason },
        'message refused by the broker',
      );
    }
    return { published: typesOf(published), refused: typesOf(refused.map(({ row }) => row)) };
  } finally {
    client.release(failed);
  }
}

/** Rows in ascending size: splits off the largest one, then two, then four. */
async function publishOrRefuse(
  amqp: Pick<Amqp, 'publish' | 'canPublish'>,
  rows: readonly Row[],
  splitOff: number,
  outcome: { published: Row[]; refused: Refused[] },
): Promise<void> {
  if (rows.length === 0) return;
  await connected(amqp);
  const results = await Promise.allSettled(rows.map((row) => amqp.publish(publicationOf(row))));
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (failures.length === 0) {
    outcome.published.push(...rows);
    return;
  }
  const refusal = failures.find((reason) => reason instanceof MessageRefusedError);
  if (!refusal) throw failures[0];
  const [only] = rows;
  if (rows.length === 1 && only) {
    outcome.refused.push({ row: only, reason: refusal.message });
    return;
  }
  const cut = Math.max(Math.ceil(rows.length / 2), rows.length - splitOff);
  await publishOrRefuse(amqp, rows.slice(0, cut), splitOff * 2, outcome);
  await publishOrRefuse(amqp, rows.slice(cut), 1, outcome);
}

async function connected({ canPublish }: Pick<Amqp, 'canPublish'>): Promise<void> {
  const untilMs = monotonicMs() + RECONNECT_TIMEOUT_MS;
  while (!canPublish() && monotonicMs() < untilMs) await realSleep(POLL_MS);
}

async function record(
  client: PoolClient,
  published: readonly Row[],
  refused: readonly Refused[],
): Promise<void> {
  await client.query(REMOVE, [published.map(({ id }) => id)]);
  for (const { row, reason } of refused) await client.query(SET_ASIDE, [row.id, reason.slice(0, 1_000)]);
  await client.query('COMMIT');
}

function bySize(rows: readonly Row[]): Row[] {
  return [...rows].sort((a, b) => sizeOf(a) - sizeOf(b));
}

function sizeOf({ payload, type, traceparent }: Row): number {
  return payload.length + type.length + (traceparent?.length ?? 0);
}

function typesOf(rows: readonly Row[]): string[] {
  return rows.map(({ type }) => type);
}
