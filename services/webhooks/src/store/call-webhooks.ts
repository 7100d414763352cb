import { type Sql, transaction } from '@parley/kit/db';
import {
  ATTEMPTS_SHOWN,
  type AttemptView,
  type CallWebhooks,
  type CallWebhookView,
} from '../domain/events/call-webhooks.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';

const LAST_ATTEMPTS = `
SELECT last.* FROM unnest($1::uuid[]) AS asked (id)
CROSS JOIN LATERAL (
  SELECT event_id::text AS "eventId", count(*) OVER ()::int AS total, series, attempt, url, started_at AS "startedAt",
    duration_ms AS "durationMs", reason, status, error, request_headers AS "requestHeaders",
    response_headers AS "responseHeaders", response_body AS "responseBody"
  FROM attempts a WHERE a.event_id = asked.id ORDER BY series DESC, attempt DESC LIMIT ${ATTEMPTS_SHOWN}
) last
ORDER BY "eventId", series, attempt`;

type AttemptRow = AttemptView & { eventId: string; total: number };

export function createCallWebhooks(prisma: PrismaClient): CallWebhooks {
  return {
    find: (workspaceId, callId) =>
      // Events and attempts are two queries: one snapshot, so that an attempt never shows without its verdict.
      transaction(
        prisma,
        async (tx) => {
          const events = await tx.event.findMany({
            where: { workspaceId, callId },
            orderBy: [{ position: 'asc' }, { edition: 'asc' }],
          });
          const logs = await readLogs(
            tx,
            events.map(({ id }) => id),
          );
          return events.map((event) => withLog(event as EventView, logs.get(event.id) ?? []));
        },
        { isolationLevel: 'RepeatableRead' },
      ),
  };
}

type EventView = Omit<CallWebhookView, 'log' | 'attemptCount'>;

async function readLogs(tx: Sql, eventIds: string[]): Promise<Map<string, AttemptRow[]>> {
  const rows = await tx.$queryRawUnsafe<AttemptRow[]>(LAST_ATTEMPTS, eventIds);
  const logs = new Map<string, AttemptRow[]>();
  for (const row of rows) logs.set(row.eventId, [...(logs.get(row.eventId) ?? []), row]);
  return logs;
}

function withLog(event: EventView, log: AttemptRow[]): CallWebhookView {
  return { ...event, attemptCount: log[0]?.total ?? 0, log };
}
