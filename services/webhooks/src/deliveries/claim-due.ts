import { type DedicatedConnection, queryRows, type SqlClient, type Statement, sql } from '@parley/kit/db';
import { z } from 'zod';
import { inTransaction } from '../database.ts';
import { READY } from '../events/events.store.ts';

// Selects the due events to attempt next (ADR 21). A queue consists of the ready events of one assistant's endpoint. Queues are
// visited in the order of (workspace, assistant), starting after the last one of the previous claim, round robin.

/** An event that this process has leased for one attempt. */
export type Claim = {
  id: string;
  workspaceId: string;
  agentId: string;
  callId: string;
  /** Raised by each claim: a record under an older one is void. */
  fence: number;
  series: number;
  /** Earlier attempts of the series. */
  attempts: number;
  body: string;
  dueAt: Date;
  traceparent: string | null;
  /** The assistant's current URL; null for none, also once the assistant is deleted. */
  url: string | null;
  /** The assistant's version that the URL belongs to; 0 without one. */
  version: number;
  /** Whether assistants has confirmed that this version has no secret of its own. */
  usesWorkspaceSecret: boolean;
  /** The endpoint's last attempt timed out. */
  unresponsive: boolean;
};

export type ClaimLimits = { perEndpoint: number; perWorkspace: number };

type Queue = { workspaceId: string; agentId: string };

type Most = Pick<ClaimInput, 'maxClaims' | 'maxUnresponsive' | 'maxBytes'>;

type ClaimInput = {
  after: Queue;
  maxQueues: number;
  limits: ClaimLimits;
  maxClaims: number;
  /** For endpoints whose last attempt timed out. */
  maxUnresponsive: number;
  /** Bytes of bodies; the last event may exceed them. */
  maxBytes: number;
};

/** Longer than an attempt (12 s) and its record can take; real time. */
const LEASE = sql`interval '30 seconds'`;
/**
 * Bytes of bodies that one workspace has leased, over all replicas; its last event may exceed them. A body may have megabytes, and those
 * in progress are in memory [trust.1].
 */
const MAX_WORKSPACE_BYTES = 16 * 1024 ** 2;
const MIN_QUEUES = 64;
const MAX_QUEUES = 256;
const MAX_ROUNDS = 4;
const NIL_ID = '00000000-0000-0000-0000-000000000000';
const START: Queue = { workspaceId: NIL_ID, agentId: NIL_ID };

/** The bytes of bodies that a process has in progress. */
export const MAX_CLAIM_BYTES = 64 * 1024 ** 2;

/** Serializes the claims of all replicas: each counts what the others have leased, which makes the limits exact. */
export const CLAIM_LOCK = sql`SELECT pg_advisory_xact_lock(hashtextextended('webhooks.claim', 0))::text`;

/** A loose index scan: one step per queue, however long it is; a full workspace is skipped in one step. */
const queuesAfter = ({ workspaceId, agentId }: Queue): Statement => sql`
  (SELECT workspace_id, agent_id FROM events
   WHERE ${READY} AND (workspace_id, agent_id) > (${workspaceId}::uuid, ${agentId}::uuid)
   ORDER BY workspace_id, agent_id LIMIT 1)
  UNION ALL
  SELECT following.workspace_id, following.agent_id FROM queue CROSS JOIN LATERAL (
    SELECT e.workspace_id, e.agent_id FROM events e
    WHERE ${READY} AND (e.workspace_id, e.agent_id) > (queue.workspace_id,
      CASE WHEN queue.workspace_id IN (SELECT workspace_id FROM full_workspace) THEN 'ffffffff-ffff-ffff-ffff-ffffffffffff' ELSE queue.agent_id END)
    ORDER BY e.workspace_id, e.agent_id LIMIT 1
  ) following`;

/** The first events of each queue, as many as its free slots; an unresponsive endpoint has one slot. */
const candidates = (perEndpoint: number): Statement => sql`
  SELECT v.workspace_id, v.unresponsive, own.id, own.rank FROM visited v CROSS JOIN LATERAL (
    SELECT id, row_number() OVER (ORDER BY next_attempt_at, id) AS rank FROM (
      SELECT id, next_attempt_at FROM events
      WHERE ${READY} AND workspace_id = v.workspace_id AND agent_id = v.agent_id
      ORDER BY next_attempt_at, id
      LIMIT greatest(0,
        CASE WHEN v.unresponsive THEN 1 ELSE ${perEndpoint}::int END
        - (SELECT count(*) FROM events l
           WHERE l.lease_until IS NOT NULL AND l.workspace_id = v.workspace_id AND l.agent_id = v.agent_id))
    ) first
  ) own`;

/** By rank: the first of every queue, then the second of every queue, so that no backlog starves another queue. */
const withinSlots = ({ limits, maxClaims, maxUnresponsive }: ClaimInput): Statement => sql`
  SELECT id, workspace_id, leased_bytes, row_number() OVER (ORDER BY rank, random()) AS n FROM (
    SELECT *, leased + row_number() OVER (PARTITION BY workspace_id ORDER BY rank, random()) AS of_workspace
    FROM (
      SELECT *, row_number() OVER (PARTITION BY unresponsive ORDER BY rank, random()) AS of_kind FROM candidate
    ) c JOIN workspace_load USING (workspace_id)
    WHERE NOT unresponsive OR of_kind <= ${maxUnresponsive}::int
  ) ranked
  WHERE of_workspace <= ${limits.perWorkspace}::int ORDER BY n LIMIT ${maxClaims}`;

/** Of the locked events, in their order: until the bytes of their workspace or of the claim are used up. */
const withinBytes = ({ maxBytes }: ClaimInput): Statement => sql`
  SELECT id FROM (
    SELECT id, sum(bytes) OVER (ORDER BY n) - bytes AS before_it,
      leased_bytes + sum(bytes) OVER (PARTITION BY workspace_id ORDER BY n) - bytes AS before_it_of_workspace
    FROM allowed JOIN locked USING (id)
  ) summed
  WHERE before_it < ${maxBytes}::bigint AND before_it_of_workspace < ${MAX_WORKSPACE_BYTES}::bigint`;

export const claimStatement = (input: ClaimInput): Statement => sql`
WITH RECURSIVE full_workspace AS MATERIALIZED (
  SELECT workspace_id FROM events WHERE lease_until IS NOT NULL
  GROUP BY workspace_id
  HAVING count(*) >= ${input.limits.perWorkspace}::int OR sum(octet_length(body)) >= ${MAX_WORKSPACE_BYTES}::bigint
),
queue AS (${queuesAfter(input.after)}),
visited AS MATERIALIZED (
  SELECT workspace_id, agent_id,
    coalesce((SELECT unresponsive FROM endpoints p WHERE p.agent_id = queue.agent_id), false) AS unresponsive
  FROM queue LIMIT ${input.maxQueues}
),
candidate AS MATERIALIZED (${candidates(input.limits.perEndpoint)}),
workspace_load AS MATERIALIZED (
  SELECT w.workspace_id, held.* FROM (SELECT DISTINCT workspace_id FROM candidate) w CROSS JOIN LATERAL (
    SELECT count(*) AS leased, coalesce(sum(octet_length(l.body)), 0) AS leased_bytes
    FROM events l WHERE l.lease_until IS NOT NULL AND l.workspace_id = w.workspace_id
  ) held
),
allowed AS MATERIALIZED (${withinSlots(input)}),
locked AS (
  -- IS TRUE keeps the planner from the index of everything that is ready: these few are found by their ids.
  -- octet_length reads no body that is stored apart from its row.
  SELECT id, octet_length(body) AS bytes FROM events WHERE id = ANY (ARRAY (SELECT id FROM allowed)) AND (${READY}) IS TRUE
  FOR UPDATE SKIP LOCKED
),
chosen AS MATERIALIZED (${withinBytes(input)}),
leased AS (
  UPDATE events e SET ready = false, lease_until = clock_timestamp() + ${LEASE}, fence = e.fence + 1
  FROM chosen WHERE e.id = chosen.id
  RETURNING e.id, e.workspace_id AS "workspaceId", e.agent_id AS "agentId", e.call_id AS "callId", e.fence, e.series,
    e.attempts, e.body, e.traceparent, e.next_attempt_at AS "dueAt"
)
SELECT leased.*, p.url, coalesce(p.version, 0) AS version, coalesce(p.unresponsive, false) AS unresponsive,
  coalesce(p.no_secret_version >= p.version, false) AS "usesWorkspaceSecret", last.*
FROM (
  SELECT count(*)::int AS visited, coalesce((array_agg(workspace_id))[count(*)], ${NIL_ID}::uuid) AS "lastWorkspaceId",
    coalesce((array_agg(agent_id))[count(*)], ${NIL_ID}::uuid) AS "lastAgentId"
  FROM visited
) last
LEFT JOIN leased ON true LEFT JOIN endpoints p ON p.agent_id = leased."agentId"`;

const claim = z.object({
  id: z.string(),
  workspaceId: z.string(),
  agentId: z.string(),
  callId: z.string(),
  fence: z.number(),
  series: z.number(),
  attempts: z.number(),
  body: z.string(),
  traceparent: z.string().nullable(),
  dueAt: z.date(),
  url: z.string().nullable(),
  version: z.number(),
  usesWorkspaceSecret: z.boolean(),
  unresponsive: z.boolean(),
});
const position = { visited: z.number(), lastWorkspaceId: z.string(), lastAgentId: z.string() };
/** Without a claim there is one row, with the position only. */
const claimRow = z.union([claim.extend(position), z.object({ ...position, id: z.null() })]);

/**
 * Leases due events: at most `maxClaims`, of which at most `maxUnresponsive` are for endpoints whose last attempt timed out, within
 * the limits per endpoint and workspace over all replicas.
 */
export function createClaimDue(connection: DedicatedConnection, limits: ClaimLimits) {
  let next = START;

  const claimRound = async (tx: SqlClient, most: Most): Promise<Claim[]> => {
    const maxQueues = Math.min(MAX_QUEUES, Math.max(MIN_QUEUES, most.maxClaims));
    const statement = claimStatement({ after: next, maxQueues, limits, ...most });
    const rows = await queryRows(tx, claimRow, statement);
    const [last] = rows;
    const hasMore = last?.visited === maxQueues;
    next = hasMore ? { workspaceId: last.lastWorkspaceId, agentId: last.lastAgentId } : START;
    return rows.flatMap((row) => (row.id === null ? [] : row));
  };

  return (maxClaims: number, maxUnresponsive = maxClaims, maxBytes = MAX_CLAIM_BYTES): Promise<Claim[]> =>
    inTransaction(connection, async (tx) => {
      await tx.$queryRaw(CLAIM_LOCK);
      const claims: Claim[] = [];
      let starts = next === START ? 1 : 0;
      for (let rounds = 0; rounds < MAX_ROUNDS && claims.length < maxClaims; rounds += 1) {
        const bytesLeft = maxBytes - claims.reduce((sum, { body }) => sum + body.length, 0);
        if (bytesLeft <= 0) break;
        const most = {
          maxClaims: maxClaims - claims.length,
          maxUnresponsive: maxUnresponsive - claims.filter(({ unresponsive }) => unresponsive).length,
          maxBytes: bytesLeft,
        };
        claims.push(...(await claimRound(tx, most)));
        if (next === START) starts += 1;
        if (starts === 2) break;
      }
      return claims;
    });
}
