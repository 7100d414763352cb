import { transaction } from '@parley/kit/db';
import {
  type EndpointHealth,
  type EndpointHealths,
  RECENT_ATTEMPTS,
} from '../domain/endpoints/list-endpoints.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { LEASED, READY, WAITING } from './ready.ts';

const AGENTS_SHOWN = 20;
const WAITING_COUNTED = 10_000;

const COUNT = `SELECT count(DISTINCT url)::int AS total FROM endpoints WHERE workspace_id = $1::uuid AND url IS NOT NULL`;

/** The last attempts of a kind, by the index that has this kind alone. */
const lastOf = (kind: string) => `
  SELECT started_at, reason, status, error FROM attempts a
  WHERE a.workspace_id = $1::uuid AND md5(a.url) = md5(p.url) AND a.reason ${kind} 'delivered'
  ORDER BY started_at DESC LIMIT ${RECENT_ATTEMPTS}`;

/** Each kind by the index that has it alone: one of all that is pending would be written with every claim. */
const waitingOf = (kind: string) => `(
  SELECT FROM events e WHERE e.workspace_id = $1::uuid AND e.agent_id = agent.id AND ${kind} LIMIT ${WAITING_COUNTED}
)`;

/** Nothing here reads more of an endpoint's history than its last attempts, nor more of its backlog than is counted. */
export const PAGE = `
WITH urls AS (
  SELECT url, count(*)::int AS assistants, array_agg(agent_id ORDER BY agent_id) AS agents
  FROM endpoints WHERE workspace_id = $1::uuid AND url IS NOT NULL
  GROUP BY url ORDER BY url LIMIT $2 OFFSET $3
)
SELECT p.url, p.assistants AS "assistantCount", p.agents[1:${AGENTS_SHOWN}]::text[] AS "agentIds",
  waiting.events AS "waitingEvents", recent.attempts AS "recentAttempts", recent.delivered AS "recentDelivered",
  recent.last_success AS "lastSuccessAt", failed.at AS "failedAt", failed.reason, failed.status, failed.error
FROM urls p
CROSS JOIN LATERAL (
  SELECT count(*)::int AS events FROM (
    SELECT FROM unnest(p.agents) AS agent (id) CROSS JOIN LATERAL (
      ${[READY, LEASED, WAITING].map(waitingOf).join(' UNION ALL ')}
    ) of_agent
    LIMIT ${WAITING_COUNTED}
  ) pending
) waiting
CROSS JOIN LATERAL (
  SELECT count(*)::int AS attempts, (count(*) FILTER (WHERE delivered))::int AS delivered,
    (SELECT max(started_at) FROM (${lastOf('=')}) success) AS last_success
  FROM (
    SELECT started_at, reason = 'delivered' AS delivered
    FROM (SELECT * FROM (${lastOf('=')}) delivered UNION ALL SELECT * FROM (${lastOf('<>')}) failed) last
    ORDER BY started_at DESC LIMIT ${RECENT_ATTEMPTS}
  ) mixed
) recent
LEFT JOIN LATERAL (SELECT started_at AS at, reason, status, error FROM (${lastOf('<>')}) f LIMIT 1) failed ON true
ORDER BY p.url`;

/**
 * Days of attempts that are still empty would make sorting all of a URL's attempts look cheaper than their index; and where
 * most of what is pending waits for few assistants, the planner, who knows an average alone, would read all of it for each of
 * the others.
 */
export const BY_INDEX = `
SELECT set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true),
  set_config('enable_bitmapscan', 'off', true)`;

type Row = Omit<EndpointHealth, 'lastError'> & {
  failedAt: Date | null;
} & Omit<NonNullable<EndpointHealth['lastError']>, 'at'>;

export function createEndpointHealths(prisma: PrismaClient): EndpointHealths {
  return {
    page: (workspaceId, { limit, offset }) =>
      transaction(prisma, async (tx) => {
        await tx.$queryRawUnsafe(BY_INDEX);
        const rows = await tx.$queryRawUnsafe<Row[]>(PAGE, workspaceId, limit, offset);
        const [counted] = await tx.$queryRawUnsafe<{ total: number }[]>(COUNT, workspaceId);
        return { items: rows.map(toHealth), total: counted?.total ?? 0 };
      }),
  };
}

function toHealth({ failedAt, reason, status, error, ...health }: Row): EndpointHealth {
  return { ...health, lastError: failedAt && { at: failedAt, reason, status, error } };
}
