import { WEBHOOK_EVENTS, type WebhookEvent } from '@parley/contracts';
import { queryRow, queryRows, type SqlClient, sql, transaction } from '@parley/kit/db';
import { z } from 'zod';
import type { WebhookTarget } from '../clients/signing-secrets.ts';
import type { Claim } from '../deliveries/claim-due.ts';
import { lockCalls, supersedeOlder } from '../events/events.store.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';

export type ResendClaim = Claim & { event: WebhookEvent; url: string };

/**
 * - `unknown`: the workspace has no event of this call.
 * - `busy`: one of the events is being attempted; nothing was started.
 * - `started`: a new series of each event, leased by the caller. Events `withoutUrl` stay as they are, and so do those
 *   that had to be failed and are not (`unchanged`).
 */
export type StartedSeries =
  | { state: 'unknown' }
  | { state: 'busy' }
  | { state: 'started'; claims: ResendClaim[]; withoutUrl: WebhookEvent[]; unchanged: WebhookEvent[] };

export type ResendStore = {
  /** The endpoint of a call's events; undefined: there is none. */
  findTarget(workspaceId: string, callId: string): Promise<WebhookTarget | undefined>;
  /** Starts a new series of the newest edition of each event: of all of them or of none. */
  start(
    workspaceId: string,
    callId: string,
    events: readonly WebhookEvent[],
    now: Date,
    onlyFailed?: boolean,
  ): Promise<StartedSeries>;
};

/** Duration of the lease per event: an attempt of 12 s and 5 s for its record. Events are attempted one after the other. */
const LEASE_SECONDS_PER_EVENT = 20;

export function createResendStore(prisma: PrismaClient): ResendStore {
  return {
    findTarget: (workspaceId, callId) => findTarget(prisma, workspaceId, callId),
    start: (workspaceId, callId, events, now, onlyFailed = false) =>
      transaction(prisma, async (tx) => {
        await lockCalls(tx, [callId]);
        const rows = await findEvents(tx, workspaceId, callId);
        if (rows.length === 0) return { state: 'unknown' };
        // The newest edition comes first.
        const newestOfAll = rows.filter((row, i) => rows[i - 1]?.event !== row.event);
        const requested = newestOfAll.filter(({ event }) => events.includes(event));
        // The rows are locked: of two such resends, the second sees what the first has started.
        const newest = requested.filter(({ status }) => !onlyFailed || status === 'failed');
        const unchanged = requested.filter((row) => !newest.includes(row)).map(({ event }) => event);
        // An older edition counts as well: sent at the same time, it might arrive last.
        if (rows.some((row) => row.leased && newest.some(({ event }) => event === row.event)))
          return { state: 'busy' };
        const sendable = newest.filter(({ url }) => url !== null);
        await supersedeOlder(
          tx,
          sendable.map(({ event, edition }) => ({ callId, event, edition })),
        );
        const withoutUrl = newest.filter(({ url }) => url === null).map(({ event }) => event);
        return { state: 'started', claims: await startSeries(tx, sendable, now), withoutUrl, unchanged };
      }),
  };
}

const targetRow = z.object({
  workspaceId: z.string(),
  agentId: z.string(),
  version: z.number(),
  usesWorkspaceSecret: z.boolean(),
});

function findTarget(client: SqlClient, workspaceId: string, callId: string) {
  return queryRow(
    client,
    targetRow,
    sql`
    SELECT e.workspace_id::text AS "workspaceId", e.agent_id::text AS "agentId", p.version,
      coalesce(p.no_secret_version >= p.version, false) AS "usesWorkspaceSecret"
    FROM events e JOIN endpoints p USING (agent_id)
    WHERE e.workspace_id = ${workspaceId}::uuid AND e.call_id = ${callId}::uuid AND p.url IS NOT NULL LIMIT 1`,
  );
}

const webhookEvent = z.enum(WEBHOOK_EVENTS);
const eventRow = z.object({
  id: z.string(),
  event: webhookEvent,
  edition: z.number(),
  status: z.string(),
  leased: z.boolean(),
  url: z.string().nullable(),
});

/** Locks the events: it waits for a claim that is being committed and then sees its lease. */
function findEvents(tx: SqlClient, workspaceId: string, callId: string) {
  return queryRows(
    tx,
    eventRow,
    sql`
    SELECT e.id::text, e.event, e.edition, e.status, coalesce(e.lease_until > clock_timestamp(), false) AS leased, p.url
    FROM events e LEFT JOIN endpoints p USING (agent_id)
    WHERE e.workspace_id = ${workspaceId}::uuid AND e.call_id = ${callId}::uuid
    ORDER BY e.position, e.edition DESC
    FOR UPDATE OF e`,
  );
}

const claimRow = z.object({
  id: z.string(),
  workspaceId: z.string(),
  agentId: z.string(),
  callId: z.string(),
  event: webhookEvent,
  fence: z.number(),
  series: z.number(),
  attempts: z.number(),
  body: z.string(),
  traceparent: z.string().nullable(),
  dueAt: z.date(),
  url: z.string(),
  version: z.number(),
  usesWorkspaceSecret: z.boolean(),
  unresponsive: z.boolean(),
});

async function startSeries(tx: SqlClient, rows: { id: string }[], now: Date): Promise<ResendClaim[]> {
  const ids = rows.map(({ id }) => id);
  return queryRows(
    tx,
    claimRow,
    sql`
    WITH started AS (
      UPDATE events SET status = 'pending', blocked = false, ready = false, series = series + 1, attempts = 0,
        next_attempt_at = ${now}::timestamptz, fence = fence + 1,
        lease_until = clock_timestamp() + ${ids.length * LEASE_SECONDS_PER_EVENT}::int * interval '1 second'
      WHERE id = ANY (${ids}::uuid[])
      RETURNING *
    )
    SELECT s.id::text, s.workspace_id::text AS "workspaceId", s.agent_id::text AS "agentId", s.call_id::text AS "callId",
      s.event, s.fence, s.series, s.attempts, s.body, s.traceparent, s.next_attempt_at AS "dueAt", p.url, p.version,
      p.unresponsive, coalesce(p.no_secret_version >= p.version, false) AS "usesWorkspaceSecret"
    FROM started s JOIN endpoints p USING (agent_id)`,
  );
}
