import { type Statement, sql } from '@parley/kit/db';

/** A table of jobs, with an index on workspace and due time of the waiting ones. */
export type JobTable = {
  table: Statement;
  id: Statement;
  /** The column with the workspace. */
  workspace: Statement;
  dueAt: Statement;
  /** Matches waiting jobs, whether they are due or not: the condition of the index. */
  isWaiting: Statement;
  /** Matches jobs that no living worker has claimed. */
  isFree: Statement;
};

/** Matches jobs whose lease has expired or whose worker is dead. For tables with a `worker_id`. */
export const hasNoClaim = (leaseUntil: Statement): Statement => sql`
  (${leaseUntil} IS NULL OR ${leaseUntil} < clock_timestamp()
    OR NOT EXISTS (SELECT FROM call_workers w WHERE w.id = worker_id AND w.expires_at > clock_timestamp()))`;

export type FairClaim = {
  now: Date;
  limit: number;
  /** Maximum jobs of one workspace in this process, so that a slow workspace leaves capacity for others. */
  share: number;
  /** Running jobs of this process. They are not claimed again, even if its claims are void because its heartbeat was late. */
  running: readonly { id: string; workspaceId: string }[];
};

/**
 * Ids of due jobs, locked: first one of each workspace, those with the fewest running jobs first, then a second one, and so on. So the
 * backlog of one workspace delays no other [calls.27].
 */
export function fairlyClaimed(
  { table, id, workspace, dueAt, isWaiting, isFree }: JobTable,
  { now, limit, share, running }: FairClaim,
): Statement {
  const load = JSON.stringify(countByWorkspace(running));
  const isRunning = sql`${id} = ANY (${running.map((job) => job.id)}::uuid[])`;
  const isDue = sql`${isWaiting} AND ${dueAt} <= ${now}::timestamptz AND ${isFree} AND NOT ${isRunning}`;
  return sql`
    WITH RECURSIVE workspaces AS (
      (SELECT ${workspace} AS workspace_id FROM ${table} WHERE ${isWaiting} ORDER BY ${workspace} LIMIT 1)
      UNION ALL
      SELECT next.workspace_id FROM workspaces w CROSS JOIN LATERAL (
        SELECT ${workspace} AS workspace_id FROM ${table} WHERE ${isWaiting} AND ${workspace} > w.workspace_id ORDER BY ${workspace} LIMIT 1
      ) next
    ), candidates AS (
      SELECT oldest.id, oldest.due_at,
        row_number() OVER (PARTITION BY w.workspace_id ORDER BY oldest.due_at) + coalesce(load.jobs, 0) AS place
      FROM workspaces w
      LEFT JOIN json_to_recordset(${load}::json) AS load (workspace_id uuid, jobs int) USING (workspace_id)
      CROSS JOIN LATERAL (
        SELECT ${id} AS id, ${dueAt} AS due_at FROM ${table}
        WHERE ${workspace} = w.workspace_id AND ${isDue} ORDER BY ${dueAt} LIMIT ${limit}
      ) oldest
    )
    SELECT ${id} FROM ${table}
    WHERE ${id} = ANY (ARRAY (SELECT id FROM candidates WHERE place <= ${share}::int ORDER BY place, due_at LIMIT ${limit})) AND ${isDue}
    FOR UPDATE SKIP LOCKED`;
}

function countByWorkspace(running: FairClaim['running']): { workspace_id: string; jobs: number }[] {
  const counts = new Map<string, number>();
  for (const { workspaceId } of running) counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1);
  return [...counts].map(([workspace_id, jobs]) => ({ workspace_id, jobs }));
}
