import { callType } from '@parley/contracts';
import { queryRows, type SqlClient, type Statement, sql } from '@parley/kit/db';
import { z } from 'zod';
import { type AnalyticsFilters, withFilters } from './analytics.store.ts';

const liveStatus = z.enum(['queued', 'ringing', 'in-progress']);
type LiveStatus = z.infer<typeof liveStatus>;

const liveRow = z.object({
  id: z.string(),
  agent_id: z.string(),
  agent_name: z.string().nullable(),
  call_type: callType,
  phone_number_id: z.string().nullable(),
  from_number: z.string().nullable(),
  to_number: z.string().nullable(),
  campaign_id: z.string().nullable(),
  status: liveStatus,
  created_at: z.date(),
  started_at: z.date().nullable(),
  answered_at: z.date().nullable(),
});
export type LiveCall = z.infer<typeof liveRow>;
const totalRow = z.object({ total: z.number() });
const statusRow = z.object({ status: liveStatus, count: z.number() });

export type LiveCalls = {
  /** Newest first. */
  page(
    workspaceId: string,
    filters: AnalyticsFilters,
    slice: { limit: number; offset: number },
  ): Promise<{ items: LiveCall[]; total: number }>;
  countByStatus(workspaceId: string): Promise<Map<LiveStatus, number>>;
};

/** Live calls have an index with exactly this condition, and are few: their number is limited [general.19]. */
const liveOf = (workspaceId: string): Statement =>
  sql`c.workspace_id = ${workspaceId}::uuid AND c.status <> 'completed'`;

export function createLiveCallReader(client: SqlClient): LiveCalls {
  return {
    page: async (workspaceId, filters, { limit, offset }) => {
      const where = withFilters(liveOf(workspaceId), sql`c`, filters);
      const [items, [counted]] = await Promise.all([
        queryRows(
          client,
          liveRow,
          sql`SELECT c.id::text, c.agent_id::text, a.agent_name, c.call_type, n.id::text AS phone_number_id, c.from_number,
              c.to_number, c.campaign_id::text, c.status, c.created_at, c.started_at, c.answered_at
            FROM calls c
            LEFT JOIN agents a ON a.agent_id = c.agent_id AND a.workspace_id = c.workspace_id AND NOT a.deleted
            LEFT JOIN phone_numbers n ON n.id = c.phone_number_id AND n.workspace_id = c.workspace_id
            WHERE ${where} ORDER BY c.created_at DESC, c.id DESC LIMIT ${limit} OFFSET ${offset}`,
        ),
        queryRows(client, totalRow, sql`SELECT count(*)::int AS total FROM calls c WHERE ${where}`),
      ]);
      return { items, total: counted?.total ?? 0 };
    },

    countByStatus: async (workspaceId) => {
      const rows = await queryRows(
        client,
        statusRow,
        sql`SELECT c.status, count(*)::int AS count FROM calls c WHERE ${liveOf(workspaceId)} GROUP BY 1`,
      );
      return new Map(rows.map(({ status, count }) => [status, count]));
    },
  };
}
