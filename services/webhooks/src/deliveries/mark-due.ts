import { type DedicatedConnection, queryRow, sql } from '@parley/kit/db';
import { z } from 'zod';
import { sqlOf } from '../database.ts';
import { READY, WAITING } from '../events/events.store.ts';

const BATCH = 1_000;
/** Batch size per endpoint if more than one batch is due. */
const BATCH_PER_ENDPOINT = 8;

/** An edition waits for the attempt of an older one, whatever its own due time. */
const dueBy = (now: Date) => sql`${WAITING} AND next_attempt_at <= ${now}::timestamptz
  AND (edition = 1 OR NOT EXISTS (
    SELECT FROM events older WHERE older.call_id = e.call_id AND older.event = e.event
      AND older.edition < e.edition AND older.status = 'pending'
  ))`;

const markedRow = z.object({ marked: z.number(), anyReady: z.boolean(), nextDueAt: z.date().nullable() });

/** `nextDueAt`: when `markDue` has to be called again; undefined: no event is waiting. */
export type Due = { anyReady: boolean; nextDueAt: Date | undefined };

/**
 * Marks events that are due by `now` as ready. `anyReady` spares a claim of several statements when nothing is ready, which is
 * most of the time. Due events that another replica is marking count: they may be ready by the time of the claim.
 */
export async function markDue(connection: DedicatedConnection, now: Date): Promise<Due> {
  const result = await queryRow(
    sqlOf(connection),
    markedRow,
    sql`
    WITH due AS (
      SELECT id FROM events e WHERE ${dueBy(now)} ORDER BY next_attempt_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
    ),
    marked AS (UPDATE events e SET ready = true FROM due WHERE e.id = due.id RETURNING 1)
    SELECT (SELECT count(*) FROM marked)::int AS marked,
      -- The subqueries do not see the update. The last one finds what was skipped as locked.
      CASE WHEN EXISTS (SELECT FROM marked) THEN true
        WHEN EXISTS (SELECT FROM events WHERE ${READY}) THEN true
        ELSE EXISTS (SELECT FROM events e WHERE ${dueBy(now)})
      END AS "anyReady", (
      SELECT next_attempt_at FROM events WHERE ${WAITING} AND next_attempt_at > ${now}::timestamptz
      ORDER BY next_attempt_at LIMIT 1
    ) AS "nextDueAt"`,
  );
  if (result?.marked !== BATCH)
    return { anyReady: result?.anyReady ?? false, nextDueAt: result?.nextDueAt ?? undefined };
  // The oldest events may all belong to one endpoint's backlog, which must not delay the others.
  await markEachEndpoint(connection, now);
  return { anyReady: true, nextDueAt: now };
}

/** Marks the oldest due events of every endpoint, found by a loose index scan. */
async function markEachEndpoint(connection: DedicatedConnection, now: Date): Promise<void> {
  await sqlOf(connection).$executeRaw(sql`
    WITH RECURSIVE queue AS (
      (SELECT workspace_id, agent_id FROM events WHERE ${WAITING} ORDER BY workspace_id, agent_id LIMIT 1)
      UNION ALL
      SELECT following.workspace_id, following.agent_id FROM queue CROSS JOIN LATERAL (
        SELECT e.workspace_id, e.agent_id FROM events e
        WHERE ${WAITING} AND (e.workspace_id, e.agent_id) > (queue.workspace_id, queue.agent_id)
        ORDER BY e.workspace_id, e.agent_id LIMIT 1
      ) following
    ),
    due AS MATERIALIZED (
      SELECT own.id FROM queue CROSS JOIN LATERAL (
        SELECT id FROM events e
        WHERE e.workspace_id = queue.workspace_id AND e.agent_id = queue.agent_id AND ${dueBy(now)}
        ORDER BY next_attempt_at LIMIT ${BATCH_PER_ENDPOINT}
      ) own
    )
    UPDATE events SET ready = true
    WHERE id = ANY (ARRAY (
      SELECT id FROM events WHERE id = ANY (ARRAY (SELECT id FROM due)) AND (${WAITING}) IS TRUE
      FOR UPDATE SKIP LOCKED
    ))`);
}

/** Makes events with an expired lease ready again: their deliverer died. */
export async function freeExpired(connection: DedicatedConnection): Promise<void> {
  await sqlOf(connection).$executeRaw(sql`
    UPDATE events SET ready = true, lease_until = NULL
    WHERE id = ANY (ARRAY (
      SELECT id FROM events WHERE lease_until <= clock_timestamp() AND status = 'pending' FOR UPDATE SKIP LOCKED
    ))`);
}
