import type { DeliveryReason } from '@parley/contracts';
import { queryRows, type Statement, sql, transaction } from '@parley/kit/db';
import { z } from 'zod';
import { LEASED, READY, WAITING } from '../events/events.store.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';

const MAX_AGENTS_SHOWN = 20;
const MAX_WAITING_COUNTED = 10_000;
const MAX_URLS_CHECKED = 10_000;
/** The number of last attempts that an endpoint's success rate covers. */
const RECENT_ATTEMPTS = 100;

/** A URL with statistics of its deliveries. */
export type EndpointHealth = {
  url: string;
  assistantCount: number;
  agentIds: string[];
  waitingEvents: number;
  recentAttempts: number;
  recentDelivered: number;
  /** Median of the recent attempts. */
  latencyP50Ms: number | null;
  latencyP95Ms: number | null;
  lastSuccessAt: Date | null;
  lastError: { at: Date; reason: DeliveryReason; status: number; error: string | null } | null;
};

export type EndpointStore = {
  page(
    workspaceId: string,
    slice: { limit: number; offset: number },
  ): Promise<{ items: EndpointHealth[]; total: number }>;
  /**
   * URLs whose last attempt since `since` failed, newest failures first. For a workspace with very many URLs, not all are checked.
   */
  failing(workspaceId: string, since: Date, limit: number): Promise<EndpointHealth[]>;
  /** The current URL of an assistant; undefined: the workspace has no such assistant. */
  findUrl(
    workspaceId: string,
    agentId: string,
  ): Promise<{ url: string | null; version: number; usesWorkspaceSecret: boolean } | undefined>;
  /** Stores that an assistant has no webhook secret of its own at this version. */
  noteNoSecret(agentId: string, version: number): Promise<void>;
};

/** The last delivered, or the last other attempts of a URL: each kind has an index of its own. */
const lastAttempts = (workspaceId: string, operator: '=' | '<>'): Statement => sql`
  SELECT started_at, duration_ms, reason, status, error FROM attempts a
  WHERE a.workspace_id = ${workspaceId}::uuid AND md5(a.url) = md5(p.url)
    AND ${operator === '=' ? sql`a.reason = 'delivered'` : sql`a.reason <> 'delivered'`}
  ORDER BY started_at DESC LIMIT ${RECENT_ATTEMPTS}`;

/** Each state has an index of its own: an index of everything pending would be written by every claim. */
const waitingIn = (workspaceId: string, state: Statement): Statement => sql`(
  SELECT FROM events e WHERE e.workspace_id = ${workspaceId}::uuid AND e.agent_id = agent.id AND ${state}
  LIMIT ${MAX_WAITING_COUNTED}
)`;

/** Reads no more of an endpoint's history than its last attempts, and no more of its backlog than is counted. */
const healthStatement = (workspaceId: string, urls: Statement, order: Statement): Statement => sql`
WITH urls AS (${urls})
SELECT p.url, p.assistants AS "assistantCount", p.agents[1:${MAX_AGENTS_SHOWN}::int]::text[] AS "agentIds",
  waiting.events AS "waitingEvents", recent.attempts AS "recentAttempts", recent.delivered AS "recentDelivered",
  recent.p50 AS "latencyP50Ms", recent.p95 AS "latencyP95Ms",
  recent.last_success AS "lastSuccessAt", failed.at AS "failedAt", failed.reason, failed.status, failed.error
FROM urls p
CROSS JOIN LATERAL (
  SELECT count(*)::int AS events FROM (
    SELECT FROM unnest(p.agents) AS agent (id) CROSS JOIN LATERAL (
      ${waitingIn(workspaceId, READY)} UNION ALL ${waitingIn(workspaceId, LEASED)}
      UNION ALL ${waitingIn(workspaceId, WAITING)}
    ) of_agent
    LIMIT ${MAX_WAITING_COUNTED}
  ) pending
) waiting
CROSS JOIN LATERAL (
  SELECT count(*)::int AS attempts, (count(*) FILTER (WHERE delivered))::int AS delivered,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_ms) AS p50,
    percentile_disc(0.95) WITHIN GROUP (ORDER BY duration_ms) AS p95,
    (SELECT max(started_at) FROM (${lastAttempts(workspaceId, '=')}) success) AS last_success
  FROM (
    SELECT started_at, duration_ms, reason = 'delivered' AS delivered
    FROM (
      SELECT * FROM (${lastAttempts(workspaceId, '=')}) delivered
      UNION ALL SELECT * FROM (${lastAttempts(workspaceId, '<>')}) failed
    ) last
    ORDER BY started_at DESC LIMIT ${RECENT_ATTEMPTS}
  ) mixed
) recent
LEFT JOIN LATERAL (
  SELECT started_at AS at, reason, status, error FROM (${lastAttempts(workspaceId, '<>')}) f LIMIT 1
) failed ON true
ORDER BY ${order}`;

const urlsOf = (workspaceId: string, limit: number, offset: number): Statement => sql`
  SELECT url, count(*)::int AS assistants, array_agg(agent_id ORDER BY agent_id) AS agents
  FROM endpoints WHERE workspace_id = ${workspaceId}::uuid AND url IS NOT NULL
  GROUP BY url ORDER BY url LIMIT ${limit} OFFSET ${offset}`;

export const pageStatement = (workspaceId: string, limit: number, offset: number): Statement =>
  healthStatement(workspaceId, urlsOf(workspaceId, limit, offset), sql`p.url`);

/** Reads two index entries of each URL, in the days since `since`; details are read only for URLs that are returned. */
export const failingStatement = (workspaceId: string, since: Date, limit: number): Statement =>
  healthStatement(
    workspaceId,
    sql`
  SELECT known.* FROM (${urlsOf(workspaceId, MAX_URLS_CHECKED, 0)}) known
  CROSS JOIN LATERAL (
    SELECT started_at FROM attempts a
    WHERE a.workspace_id = ${workspaceId}::uuid AND md5(a.url) = md5(known.url) AND a.reason <> 'delivered'
      AND a.started_at > ${since.toISOString()}::timestamptz
    ORDER BY started_at DESC LIMIT 1
  ) failure
  WHERE NOT EXISTS (
    SELECT FROM attempts a
    WHERE a.workspace_id = ${workspaceId}::uuid AND md5(a.url) = md5(known.url) AND a.reason = 'delivered'
      AND a.started_at > ${since.toISOString()}::timestamptz AND a.started_at >= failure.started_at
  )
  ORDER BY failure.started_at DESC LIMIT ${limit}`,
    sql`failed.at DESC, p.url`,
  );

/**
 * Partitions that are still empty would make sorting all attempts of a URL look cheaper than their index. If most pending events
 * belong to a few assistants, the planner, which only knows the average, would read all of them for each of the others.
 */
export const BY_INDEX = sql`
  SELECT set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true),
    set_config('enable_bitmapscan', 'off', true)`;

const countRow = z.object({ total: z.number() });
const pageRow = z.object({
  url: z.string(),
  assistantCount: z.number(),
  agentIds: z.array(z.string()),
  waitingEvents: z.number(),
  recentAttempts: z.number(),
  recentDelivered: z.number(),
  latencyP50Ms: z.number().nullable(),
  latencyP95Ms: z.number().nullable(),
  lastSuccessAt: z.date().nullable(),
  failedAt: z.date().nullable(),
  reason: z.string().nullable(),
  status: z.number().nullable(),
  error: z.string().nullable(),
});

export function createEndpointStore(prisma: PrismaClient): EndpointStore {
  return {
    page: (workspaceId, { limit, offset }) =>
      transaction(prisma, async (tx) => {
        await tx.$queryRaw(BY_INDEX);
        const rows = await queryRows(tx, pageRow, pageStatement(workspaceId, limit, offset));
        const [counted] = await queryRows(
          tx,
          countRow,
          sql`SELECT count(DISTINCT url)::int AS total FROM endpoints
              WHERE workspace_id = ${workspaceId}::uuid AND url IS NOT NULL`,
        );
        return { items: rows.map(toHealth), total: counted?.total ?? 0 };
      }),

    failing: (workspaceId, since, limit) =>
      transaction(prisma, async (tx) => {
        await tx.$queryRaw(BY_INDEX);
        const rows = await queryRows(tx, pageRow, failingStatement(workspaceId, since, limit));
        return rows.map(toHealth);
      }),

    findUrl: async (workspaceId, agentId) => {
      const found = await prisma.endpoint.findFirst({ where: { workspaceId, agentId } });
      if (!found) return undefined;
      const { url, version, noSecretVersion } = found;
      return { url, version, usesWorkspaceSecret: noSecretVersion !== null && noSecretVersion >= version };
    },

    noteNoSecret: async (agentId, noSecretVersion) => {
      const isOlder = [{ noSecretVersion: null }, { noSecretVersion: { lt: noSecretVersion } }];
      await prisma.endpoint.updateMany({ where: { agentId, OR: isOlder }, data: { noSecretVersion } });
    },
  };
}

function toHealth({ failedAt, reason, status, error, ...health }: z.infer<typeof pageRow>): EndpointHealth {
  const lastError = failedAt && {
    at: failedAt,
    reason: reason as DeliveryReason,
    status: status ?? 0,
    error,
  };
  return { ...health, lastError };
}
