import type { Sql } from '@parley/kit/db';
import { DB_NOW } from '@parley/kit/time';
import type { Claim } from '../domain/delivery/ports.ts';

export type ClaimCaps = { perEndpoint: number; perWorkspace: number };

/** Longer than an attempt can take (12 s) and what its record needs; real time. */
const LEASE_SECONDS = 30;

/**
 * Leases due events in one statement. `endpoints_due` finds the assistants with pending events by a loose index scan,
 * so that the backlog of a dead endpoint costs one step, however long it is; each gives at most the slots that it and
 * its workspace have left. The same event is never leased twice: rows that another process is just claiming are passed over.
 */
const CLAIM = `
WITH RECURSIVE endpoints_due AS (
  (SELECT agent_id FROM events WHERE status = 'pending' ORDER BY agent_id LIMIT 1)
  UNION ALL
  SELECT (SELECT e.agent_id FROM events e WHERE e.status = 'pending' AND e.agent_id > d.agent_id
          ORDER BY e.agent_id LIMIT 1)
  FROM endpoints_due d WHERE d.agent_id IS NOT NULL
),
leased AS (
  SELECT workspace_id, agent_id, count(*)::int AS n FROM events
  WHERE lease_until IS NOT NULL AND lease_until > ${DB_NOW} GROUP BY workspace_id, agent_id
),
leased_workspaces AS (SELECT workspace_id, sum(n)::int AS n FROM leased GROUP BY workspace_id),
due AS (
  SELECT candidate.id, candidate.workspace_id, candidate.rank FROM endpoints_due d
  CROSS JOIN LATERAL (
    SELECT e.id, e.workspace_id, row_number() OVER (ORDER BY e.next_attempt_at, e.id) AS rank
    FROM (
      SELECT id, workspace_id, next_attempt_at FROM events
      WHERE status = 'pending' AND agent_id = d.agent_id AND next_attempt_at <= $1
        AND (lease_until IS NULL OR lease_until <= ${DB_NOW})
      ORDER BY next_attempt_at, id
      LIMIT greatest(0, $2::int - coalesce((SELECT l.n FROM leased l WHERE l.agent_id = d.agent_id), 0))
    ) e
  ) candidate
  WHERE d.agent_id IS NOT NULL
),
allowed AS (
  -- First the first of each endpoint, then the second of each: nobody's backlog comes before another's first.
  SELECT id FROM (
    SELECT due.id, due.rank,
      row_number() OVER (PARTITION BY due.workspace_id ORDER BY due.rank) + coalesce(w.n, 0) AS of_workspace
    FROM due LEFT JOIN leased_workspaces w USING (workspace_id)
  ) ranked
  WHERE of_workspace <= $3::int ORDER BY rank LIMIT $4::int
),
locked AS (
  SELECT id FROM events WHERE id IN (SELECT id FROM allowed)
    AND status = 'pending' AND next_attempt_at <= $1 AND (lease_until IS NULL OR lease_until <= ${DB_NOW})
  FOR UPDATE SKIP LOCKED
)
UPDATE events e
SET lease_until = ${DB_NOW} + interval '${LEASE_SECONDS} seconds', fence = e.fence + 1
FROM locked
WHERE e.id = locked.id
RETURNING e.id, e.workspace_id AS "workspaceId", e.call_id AS "callId", e.fence, e.series, e.attempts, e.body,
  (SELECT p.url FROM endpoints p WHERE p.agent_id = e.agent_id) AS url`;

export function claimDue(sql: Sql, caps: ClaimCaps, most: number, now: Date): Promise<Claim[]> {
  return sql.$queryRawUnsafe<Claim[]>(CLAIM, now, caps.perEndpoint, caps.perWorkspace, most);
}
