import type { WebhookEvent } from '@parley/contracts';
import { type Sql, transaction } from '@parley/kit/db';
import { DB_NOW } from '@parley/kit/time';
import type { ResendClaim, ResendStore } from '../domain/resend/ports.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { lockCalls } from './call-lock.ts';
import { supersedeOlder } from './supersede-older.ts';

type EventRow = { id: string; event: WebhookEvent; edition: number; leased: boolean; url: string | null };

/** What one attempt takes of the lease: 12 s, and 5 s for its record at worst. Events are attempted one after the other. */
const SECONDS_EACH = 20;

/** Locked: a claim that is just being committed is waited for, and then seen. */
const FIND = `
SELECT e.id::text, e.event, e.edition, coalesce(e.lease_until > ${DB_NOW}, false) AS leased, p.url
FROM events e LEFT JOIN endpoints p USING (agent_id)
WHERE e.workspace_id = $1::uuid AND e.call_id = $2::uuid ORDER BY e.position, e.edition DESC
FOR UPDATE OF e`;

const START = `
UPDATE events SET status = 'pending', blocked = false, ready = false, series = series + 1, attempts = 0, next_attempt_at = $2::timestamptz,
  lease_until = ${DB_NOW} + $3 * interval '1 second', fence = fence + 1
WHERE id = ANY ($1::uuid[])
RETURNING id::text, workspace_id::text AS "workspaceId", agent_id::text AS "agentId", call_id::text AS "callId", event, fence, series, attempts, body, traceparent, next_attempt_at AS "dueAt",
  (SELECT url FROM endpoints p WHERE p.agent_id = events.agent_id),
  coalesce((SELECT p.unresponsive FROM endpoints p WHERE p.agent_id = events.agent_id), false) AS unresponsive`;

/** Fresh series of a call's events. */
export function createResendStore(prisma: PrismaClient): ResendStore {
  return {
    start: (workspaceId, callId, events, now) =>
      transaction(prisma, async (tx) => {
        await lockCalls(tx, [callId]);
        const rows = await tx.$queryRawUnsafe<EventRow[]>(FIND, workspaceId, callId);
        if (rows.length === 0) return { state: 'unknown' };
        const asked = rows.filter(({ event }) => events.includes(event));
        // Also an older edition: sent while that is under way, the better transcript might not come last.
        if (asked.some(({ leased }) => leased)) return { state: 'busy' };
        // The newest edition comes first.
        const newest = asked.filter((row, i) => asked[i - 1]?.event !== row.event);
        const sendable = newest.filter(({ url }) => url !== null);
        await supersedeOlder(
          tx,
          sendable.map(({ event, edition }) => ({ callId, event, edition })),
        );
        const nowhere = newest.filter(({ url }) => url === null).map(({ event }) => event);
        return { state: 'started', claims: await startSeries(tx, sendable, now), nowhere };
      }),
  };
}

async function startSeries(tx: Sql, rows: EventRow[], now: Date): Promise<ResendClaim[]> {
  const ids = rows.map(({ id }) => id);
  return tx.$queryRawUnsafe<ResendClaim[]>(START, ids, now, ids.length * SECONDS_EACH);
}
