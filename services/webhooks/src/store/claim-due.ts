import type { DedicatedConnection } from '@parley/kit/db';
import { DB_NOW } from '@parley/kit/time';
import type { PoolClient } from 'pg';
import type { Claim } from '../domain/delivery/ports.ts';
import { inTransaction } from './in-transaction.ts';
import { READY } from './ready.ts';

export type ClaimCaps = { perEndpoint: number; perWorkspace: number };

/** An assistant's queue of events; queues have turns in this order. */
type Queue = { workspaceId: string; agentId: string };

/** Longer than an attempt can take (12 s) and what its record needs; real time. */
const LEASE_SECONDS = 30;
/** Queues that one statement looks at, and statements of one claim. */
const FEWEST_QUEUES = 64;
const MOST_QUEUES = 256;
const MOST_ROUNDS = 4;
const START: Queue = {
  workspaceId: '00000000-0000-0000-0000-000000000000',
  agentId: '00000000-0000-0000-0000-000000000000',
};

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Replicas claim one after the other: each counts what the others have taken, so that the caps hold to the last slot. */
export const TAKE_TURN = `SELECT pg_advisory_xact_lock(hashtextextended('webhooks.claim', 0))`;

/**
 * `turn` goes from queue to queue by a loose scan of what is ready: a queue costs one step, however long it is. Each gives
 * at most the slots that it and its workspace have left; an endpoint whose last attempt timed out has one, and all such
 * together have $7. A workspace that has none left is passed over in one step, however many queues it has.
 */
const CLAIM = `
WITH RECURSIVE full_up AS MATERIALIZED (
  SELECT workspace_id FROM events WHERE lease_until IS NOT NULL GROUP BY workspace_id HAVING count(*) >= $5
),
turn AS (
  (SELECT workspace_id, agent_id FROM events
   WHERE ${READY} AND (workspace_id, agent_id) > ($1::uuid, $2::uuid) ORDER BY workspace_id, agent_id LIMIT 1)
  UNION ALL
  SELECT following.workspace_id, following.agent_id FROM turn CROSS JOIN LATERAL (
    SELECT e.workspace_id, e.agent_id FROM events e
    WHERE ${READY} AND (e.workspace_id, e.agent_id) > (turn.workspace_id,
      CASE WHEN turn.workspace_id IN (SELECT workspace_id FROM full_up) THEN '${LAST_ID}' ELSE turn.agent_id END)
    ORDER BY e.workspace_id, e.agent_id LIMIT 1
  ) following
),
visited AS MATERIALIZED (
  SELECT workspace_id, agent_id,
    coalesce((SELECT unresponsive FROM endpoints p WHERE p.agent_id = turn.agent_id), false) AS unresponsive
  FROM turn LIMIT $3
),
candidate AS MATERIALIZED (
  SELECT v.workspace_id, v.unresponsive, own.id, own.rank FROM visited v CROSS JOIN LATERAL (
    SELECT id, row_number() OVER (ORDER BY next_attempt_at, id) AS rank FROM (
      SELECT id, next_attempt_at FROM events
      WHERE ${READY} AND workspace_id = v.workspace_id AND agent_id = v.agent_id
      ORDER BY next_attempt_at, id
      LIMIT greatest(0,
        CASE WHEN v.unresponsive THEN 1 ELSE $4::int END
        - (SELECT count(*) FROM events l
           WHERE l.lease_until IS NOT NULL AND l.workspace_id = v.workspace_id AND l.agent_id = v.agent_id))
    ) first
  ) own
),
busy AS MATERIALIZED (
  SELECT workspace_id,
    (SELECT count(*) FROM events l WHERE l.lease_until IS NOT NULL AND l.workspace_id = w.workspace_id) AS leased
  FROM (SELECT DISTINCT workspace_id FROM candidate) w
),
-- First the first of each queue, then the second of each: nobody's backlog comes before another's first.
allowed AS MATERIALIZED (
  SELECT id FROM (
    SELECT id, rank, leased + row_number() OVER (PARTITION BY workspace_id ORDER BY rank, random()) AS of_workspace
    FROM (
      SELECT *, row_number() OVER (PARTITION BY unresponsive ORDER BY rank, random()) AS of_kind FROM candidate
    ) c JOIN busy USING (workspace_id)
    WHERE NOT unresponsive OR of_kind <= $7::int
  ) ranked
  WHERE of_workspace <= $5::int ORDER BY rank, random() LIMIT $6
),
locked AS (
  -- IS TRUE keeps the planner from the index of all that is ready: these few are found by their ids.
  SELECT id FROM events WHERE id = ANY (ARRAY (SELECT id FROM allowed)) AND (${READY}) IS TRUE
  FOR UPDATE SKIP LOCKED
),
leased AS (
  UPDATE events e
  SET ready = false, lease_until = ${DB_NOW} + interval '${LEASE_SECONDS} seconds', fence = e.fence + 1
  FROM locked WHERE e.id = locked.id
  RETURNING e.id, e.workspace_id AS "workspaceId", e.agent_id AS "agentId", e.call_id AS "callId", e.fence, e.series,
    e.attempts, e.body, e.traceparent, e.next_attempt_at AS "dueAt"
)
SELECT leased.*, p.url, coalesce(p.unresponsive, false) AS unresponsive, last.*
FROM (
  SELECT count(*)::int AS visited, (array_agg(workspace_id))[count(*)] AS "lastWorkspaceId",
    (array_agg(agent_id))[count(*)] AS "lastAgentId"
  FROM visited
) last
LEFT JOIN leased ON true LEFT JOIN endpoints p ON p.agent_id = leased."agentId"`;

type Row = Omit<Claim, 'id'> & {
  id: string | null;
  visited: number;
  lastWorkspaceId: string;
  lastAgentId: string;
};

/**
 * Leases due events, at most `most`, of them `mostUnresponsive` for endpoints whose last attempt timed out. The next call goes
 * on with the queues after those that this one has looked at.
 */
export function createClaimDue(connection: DedicatedConnection, caps: ClaimCaps) {
  let next = START;

  const round = async (client: PoolClient, most: number, mostUnresponsive: number): Promise<Claim[]> => {
    const queues = Math.min(MOST_QUEUES, Math.max(FEWEST_QUEUES, most));
    const { perEndpoint, perWorkspace } = caps;
    const values = [
      next.workspaceId,
      next.agentId,
      queues,
      perEndpoint,
      perWorkspace,
      most,
      mostUnresponsive,
    ];
    const { rows } = await client.query<Row>({ name: 'claim', text: CLAIM, values });
    const [{ visited, lastWorkspaceId: workspaceId, lastAgentId: agentId } = { visited: 0 } as Row] = rows;
    next = visited === queues ? { workspaceId, agentId } : START;
    return rows.flatMap(({ id, visited: _v, lastWorkspaceId: _w, lastAgentId: _a, ...row }) =>
      id === null ? [] : [{ id, ...row }],
    );
  };

  return (most: number, mostUnresponsive = most): Promise<Claim[]> =>
    inTransaction(connection, async (client) => {
      await client.query(TAKE_TURN);
      const claims: Claim[] = [];
      let starts = next === START ? 1 : 0;
      for (let rounds = 0; rounds < MOST_ROUNDS && claims.length < most; rounds += 1) {
        const unresponsive = claims.filter((claim) => claim.unresponsive).length;
        claims.push(...(await round(client, most - claims.length, mostUnresponsive - unresponsive)));
        if (next === START) starts += 1;
        if (starts === 2) break;
      }
      return claims;
    });
}
