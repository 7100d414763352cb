import { queryRow, type SqlClient, sql } from '@parley/kit/db';
import { deleteRows, type RemovalStep, replaceMentions, walkTable } from '@parley/kit/removal';
import { z } from 'zod';
import type { Telephony } from '../clients/telephony.ts';
import { lockCalls } from '../events/events.store.ts';

const deletedRow = z.object({ events: z.number(), attempts: z.number(), leased: z.number() });

/**
 * Deletes the events of erased calls under the calls' locks, and stores the calls' ids, so that later messages are ignored. An
 * event whose delivery is in progress stays until the attempt is recorded: the next pass deletes both.
 */
function eraseCalls(telephony: Telephony): RemovalStep {
  return async (tx: SqlClient, target, cursor) => {
    const { callIds, next } = await telephony.removedCalls(target, Number(cursor ?? 0));
    if (callIds.length === 0) return { next: null };
    await lockCalls(tx, callIds);
    await tx.$executeRaw(sql`
      INSERT INTO removal_calls (call_id, removal_id)
      SELECT id, ${target.removalId}::uuid FROM unnest(${callIds}::uuid[]) AS id ORDER BY id
      ON CONFLICT DO NOTHING`);
    const deleted = await queryRow(
      tx,
      deletedRow,
      sql`
      WITH found AS MATERIALIZED (
        SELECT id, coalesce(lease_until > clock_timestamp(), false) AS leased FROM events
        WHERE call_id = ANY (${callIds}::uuid[]) FOR UPDATE
      ), log AS (
        DELETE FROM attempts WHERE event_id = ANY (ARRAY (SELECT id FROM found WHERE NOT leased)) RETURNING 1
      ), gone AS (
        DELETE FROM events WHERE id = ANY (ARRAY (SELECT id FROM found WHERE NOT leased)) RETURNING 1
      )
      SELECT (SELECT count(*) FROM gone)::int AS events, (SELECT count(*) FROM log)::int AS attempts,
        (SELECT count(*) FROM found WHERE leased)::int AS leased`,
    );
    const { events = 0, attempts = 0, leased = 0 } = deleted ?? {};
    return {
      removed: { webhook_events: events, webhook_attempts: attempts },
      waiting: leased > 0 ? 'a webhook that is being delivered' : null,
      next: next === null ? null : String(next),
    };
  };
}

/** [trust.19] */
export function erasureSteps(telephony: Telephony): RemovalStep[] {
  return [
    eraseCalls(telephony),
    walkTable('events', [replaceMentions({ place: 'webhook_events', columns: { body: 'text' } })]),
    walkTable('attempts', [
      replaceMentions({
        place: 'webhook_attempts',
        columns: {
          url: 'text',
          error: 'text',
          request_headers: 'jsonb',
          response_headers: 'jsonb',
          response_body: 'text',
        },
      }),
    ]),
  ];
}

/** [trust.25] */
export const WORKSPACE_STEPS: readonly RemovalStep[] = [
  deleteRows({ table: 'attempts', place: 'webhook_attempts' }),
  deleteRows({ table: 'events', place: 'webhook_events' }),
  deleteRows({ table: 'endpoints' }),
  deleteRows({ table: 'retention' }),
];
