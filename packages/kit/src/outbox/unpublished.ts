import type { AttentionItem, PublisherName } from '@parley/contracts';
import { z } from 'zod';
import { queryRow, type SqlClient, sql } from '../db/index.ts';

const MAX_COUNTED = 1_000;
const foundRow = z.object({ count: z.number(), last: z.date().nullable() });

/** Finds the events of a workspace that the broker refused, for `GET /v1/attention` [analytics.10]. */
export function createFindUnpublished(client: SqlClient, service: PublisherName) {
  return async (workspaceId: string): Promise<AttentionItem[]> => {
    const found = await queryRow(
      client,
      foundRow,
      sql`SELECT count(*)::int AS count, max(refused_at) AS last FROM (
          SELECT refused_at FROM outbox_refused WHERE workspace_id = ${workspaceId}::uuid ORDER BY refused_at DESC LIMIT ${MAX_COUNTED}
        ) refused`,
    );
    if (!found?.last) return [];
    const at = found.last.toISOString();
    return [{ type: 'events_not_published', at, service, count: found.count }];
  };
}
