import { type AttentionItem, webhookEvent } from '@parley/contracts';
import { queryRows, type SqlClient, sql } from '@parley/kit/db';
import { toIsoMillis } from '@parley/kit/time';
import { z } from 'zod';
import { EXHAUSTED } from '../events/events.store.ts';

const MAX_COUNTED = 1_000;
const MAX_SHOWN = 20;
const exhaustedRow = z.object({
  agent_id: z.string(),
  count: z.number(),
  at: z.date(),
  call_id: z.string(),
  event: webhookEvent,
});

/** Events since `since` whose attempts are exhausted, by assistant, the newest first [analytics.10]. */
export async function findExhausted(
  client: SqlClient,
  workspaceId: string,
  since: Date,
): Promise<AttentionItem[]> {
  const rows = await queryRows(
    client,
    exhaustedRow,
    sql`SELECT agent_id::text, count(*)::int AS count, max(created_at) AS at,
        (array_agg(call_id::text ORDER BY created_at DESC))[1] AS call_id, (array_agg(event ORDER BY created_at DESC))[1] AS event
      FROM (
        SELECT agent_id, call_id, event, created_at FROM events e
        WHERE workspace_id = ${workspaceId}::uuid AND created_at > ${since.toISOString()}::timestamptz AND ${EXHAUSTED}
        ORDER BY created_at DESC LIMIT ${MAX_COUNTED}
      ) exhausted
      GROUP BY agent_id ORDER BY 3 DESC LIMIT ${MAX_SHOWN}`,
  );
  return rows.map(({ at, ...row }) => ({ type: 'webhook_events_exhausted', at: toIsoMillis(at), ...row }));
}
