import { type Statement, sql } from '@parley/kit/db';

/** A table of jobs with an index over workspace and due time of those that wait. */
export type JobTable = {
  table: Statement;
  id: Statement;
  dueAt: Statement;
  /** Of jobs that wait, whether for their time or for a slot: the condition of the index. */
  isWaiting: Statement;
  /** Not claimed by a living worker. */
  isFree: Statement;
};

export type FairClaim = {
  now: Date;
  limit: number;
  /** Of each workspace that this process works on at most, so that a slow one leaves places free. */
  share: number;
  /** Jobs of each workspace that this process works on. */
  running: ReadonlyMap<string, number>;
};

/**
 * Ids of due jobs, locked: the first ones of the workspaces of which fewest are worked on, then their second ones, and so on. So the
 * backlog of one workspace delays no other [calls.27].
 */
export function fairlyClaimed(
  { table, id, dueAt, isWaiting, isFree }: JobTable,
  { now, limit, share, running }: FairClaim,
): Statement {
  const load = JSON.stringify([...running].map(([workspace_id, jobs]) => ({ workspace_id, jobs })));
  const isDue = sql`${isWaiting} AND ${dueAt} <= ${now}::timestamptz AND ${isFree}`;
  return sql`
    WITH RECURSIVE workspaces AS (
      (SELECT workspace_id FROM ${table} WHERE ${isWaiting} ORDER BY workspace_id LIMIT 1)
      UNION ALL
      SELECT next.workspace_id FROM workspaces w CROSS JOIN LATERAL (
        SELECT workspace_id FROM ${table} WHERE ${isWaiting} AND workspace_id > w.workspace_id ORDER BY workspace_id LIMIT 1
      ) next
    ), candidates AS (
      SELECT oldest.id, oldest.due_at,
        row_number() OVER (PARTITION BY w.workspace_id ORDER BY oldest.due_at) + coalesce(load.jobs, 0) AS place
      FROM workspaces w
      LEFT JOIN json_to_recordset(${load}::json) AS load (workspace_id uuid, jobs int) USING (workspace_id)
      CROSS JOIN LATERAL (
        SELECT ${id} AS id, ${dueAt} AS due_at FROM ${table}
        WHERE workspace_id = w.workspace_id AND ${isDue} ORDER BY ${dueAt} LIMIT ${limit}
      ) oldest
    )
    SELECT ${id} FROM ${table}
    WHERE ${id} = ANY (ARRAY (SELECT id FROM candidates WHERE place <= ${share}::int ORDER BY place, due_at LIMIT ${limit})) AND ${isDue}
    FOR UPDATE SKIP LOCKED`;
}

/** How many jobs of each workspace there are. */
export function countByWorkspace(workspaceIds: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of workspaceIds) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
