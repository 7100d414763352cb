import { deliveryReason, webhookEvent } from '@parley/contracts';
import { queryRow, queryRows, type SqlClient, sql } from '@parley/kit/db';
import { z } from 'zod';
import { EXHAUSTED } from '../events/events.store.ts';

const totalRow = z.object({ total: z.number() });

const MAX_COUNTED = 10_000;

const failedRow = z.object({
  id: z.string(),
  callId: z.string(),
  agentId: z.string(),
  event: webhookEvent,
  url: z.string().nullable(),
  reason: deliveryReason.nullable(),
  createdAt: z.date(),
});

/** Events whose attempts are exhausted, newest first, with the URL that a resend would use. `total` counts up to 10,000. */
export async function findFailed(
  client: SqlClient,
  workspaceId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ items: z.infer<typeof failedRow>[]; hasMore: boolean; total: number }> {
  const ofWorkspace = sql`e.workspace_id = ${workspaceId}::uuid AND ${EXHAUSTED}`;
  const found = await queryRows(
    client,
    failedRow,
    sql`
    SELECT e.id::text, e.call_id::text AS "callId", e.agent_id::text AS "agentId", e.event, p.url, e.reason,
      e.created_at AS "createdAt"
    FROM events e LEFT JOIN endpoints p ON p.agent_id = e.agent_id
    WHERE ${ofWorkspace} ORDER BY e.created_at DESC, e.id DESC LIMIT ${limit + 1} OFFSET ${offset}`,
  );
  const counted = await queryRow(
    client,
    totalRow,
    sql`SELECT count(*)::int AS total FROM (SELECT FROM events e WHERE ${ofWorkspace} LIMIT ${MAX_COUNTED}) counted`,
  );
  return { items: found.slice(0, limit), hasMore: found.length > limit, total: counted?.total ?? 0 };
}
