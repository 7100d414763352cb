import { deliveryReason as reason, WEBHOOK_EVENTS } from '@parley/contracts';
import {
  queryRows,
  raw,
  readInSteps,
  type SqlClient,
  STEP_BYTES,
  sql,
  sumInOrder,
  transaction,
} from '@parley/kit/db';
import { z } from 'zod';
import type { PrismaClient } from '../generated/prisma/client.ts';

/** The newest five series of an event. */
const MAX_ATTEMPTS_SHOWN = 60;

const eventRow = z.object({
  id: z.string(),
  event: z.enum(WEBHOOK_EVENTS),
  status: z.enum(['pending', 'delivered', 'failed']),
  reason: reason.nullable(),
  bodyBytes: z.number(),
  createdAt: z.date(),
  nextAttemptAt: z.date().nullable(),
});
const headers = z.record(z.string(), z.string());
const exchange = {
  requestHeaders: headers,
  responseHeaders: headers.nullable(),
  responseBody: z.string().nullable(),
};
const exchangeRow = z.object({ series: z.number(), attempt: z.number(), ...exchange });
const attemptRow = z.object({
  eventId: z.string(),
  total: z.number(),
  series: z.number(),
  attempt: z.number(),
  url: z.string(),
  startedAt: z.date(),
  durationMs: z.number(),
  reason,
  status: z.number(),
  error: z.string().nullable(),
  bytes: z.number(),
  /** Whether the exchange was read with the row. */
  fits: z.boolean(),
  ...exchange,
  requestHeaders: headers.nullable(),
});

type EventRow = z.infer<typeof eventRow>;
type AttemptRow = z.infer<typeof attemptRow>;
export type AttemptView = AttemptRow & z.infer<typeof exchangeRow>;

export type EventView = EventRow & {
  /** Number of all stored attempts. */
  attemptCount: number;
  /** The size of each of the last attempts, in order, without the event's body. */
  attemptBytes: number[];
  readBody(): Promise<string>;
  /** The last attempts from this index on, loaded as they are consumed. */
  readAttempts(from: number): AsyncIterable<AttemptView>;
};

export type History = { find(workspaceId: string, callId: string): Promise<EventView[]> };

export function createHistory(prisma: PrismaClient): History {
  const toView = (event: EventRow, attempts: AttemptRow[]): EventView => ({
    ...event,
    attemptCount: attempts[0]?.total ?? 0,
    attemptBytes: attempts.map(({ bytes }) => bytes),
    readBody: async () => {
      const { id } = event;
      return (await prisma.event.findUnique({ where: { id }, select: { body: true } }))?.body ?? '';
    },
    readAttempts: (from) => readAttempts(prisma, event.id, attempts.slice(from)),
  });
  return {
    find: (workspaceId, callId) =>
      // One snapshot of both queries, so that an attempt never appears without the state it led to.
      transaction(
        prisma,
        async (tx) => {
          const events = await findEvents(tx, workspaceId, callId);
          const ids = events.map(({ id }) => id);
          const attempts = await findAttempts(tx, ids);
          const ofEvent = (id: string) => attempts.filter(({ eventId }) => eventId === id);
          return events.map((event) => toView(event, ofEvent(event.id)));
        },
        { isolationLevel: 'RepeatableRead' },
      ),
  };
}

function findEvents(tx: SqlClient, workspaceId: string, callId: string): Promise<EventRow[]> {
  return queryRows(
    tx,
    eventRow,
    sql`
    SELECT id::text, event, status, reason, created_at AS "createdAt", next_attempt_at AS "nextAttemptAt",
      octet_length(body) AS "bodyBytes"
    FROM events WHERE workspace_id = ${workspaceId}::uuid AND call_id = ${callId}::uuid ORDER BY position, edition`,
  );
}

const bytesSoFar = raw(sumInOrder('bytes', '"eventId", series DESC, attempt DESC'));

/** The newest exchanges, as many as fit into `STEP_BYTES`; other attempts without their exchange, but with its size. */
function findAttempts(tx: SqlClient, eventIds: readonly string[]): Promise<AttemptRow[]> {
  return queryRows(
    tx,
    attemptRow,
    sql`
    SELECT "eventId", total, series, attempt, url, "startedAt", "durationMs", reason, status, error, bytes::int, fits,
      CASE WHEN fits THEN request_headers END AS "requestHeaders",
      CASE WHEN fits THEN response_headers END AS "responseHeaders",
      CASE WHEN fits THEN response_body END AS "responseBody"
    FROM (
      SELECT last.*, ${bytesSoFar} <= ${STEP_BYTES} AS fits
      FROM unnest(${eventIds}::uuid[]) AS requested (id)
      CROSS JOIN LATERAL (
        SELECT event_id::text AS "eventId", count(*) OVER ()::int AS total, series, attempt, url,
          started_at AS "startedAt", duration_ms AS "durationMs", reason, status, error, request_headers,
          response_headers, response_body, octet_length(coalesce(response_body, ''))
            + octet_length(request_headers::text) + octet_length(coalesce(response_headers::text, '')) AS bytes
        FROM attempts a WHERE a.event_id = requested.id ORDER BY series DESC, attempt DESC LIMIT ${MAX_ATTEMPTS_SHOWN}
      ) last
    ) sized
    ORDER BY "eventId", series, attempt`,
  );
}

/** Recorded attempts never change: exchanges that weren't read with the snapshot follow in steps. */
function readAttempts(
  client: SqlClient,
  eventId: string,
  attempts: readonly AttemptRow[],
): AsyncIterable<AttemptView & { id: string }> {
  const rows = new Map(attempts.map((row) => [idOf(row), row]));
  const withExchange = ({ requestHeaders, ...row }: AttemptRow) =>
    row.fits && requestHeaders ? { ...row, requestHeaders, id: idOf(row) } : undefined;
  const found = attempts.map((row) => ({ id: idOf(row), bytes: row.bytes, row: withExchange(row) }));
  return readInSteps(found, async (ids) => {
    const wanted = ids.flatMap((id) => rows.get(id) ?? []);
    const exchanges = await queryRows(
      client,
      exchangeRow,
      sql`
      SELECT a.series, a.attempt, a.request_headers AS "requestHeaders", a.response_headers AS "responseHeaders",
        a.response_body AS "responseBody"
      FROM unnest(${wanted.map((row) => row.series)}::int[], ${wanted.map((row) => row.attempt)}::int[])
        AS wanted (series, attempt)
      JOIN attempts a ON a.event_id = ${eventId}::uuid AND a.series = wanted.series AND a.attempt = wanted.attempt`,
    );
    return exchanges.flatMap((one) => {
      const row = rows.get(idOf(one));
      return row ? [{ ...row, ...one, id: idOf(row) }] : [];
    });
  });
}

function idOf({ series, attempt }: { series: number; attempt: number }): string {
  return `${series}/${attempt}`;
}
