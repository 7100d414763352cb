import type { WebhookEvent } from '@parley/contracts';
import type { Sql } from '@parley/kit/db';
import { enqueue } from '@parley/kit/outbox';
import type { AttemptRecord } from '../domain/delivery/ports.ts';

/** The last attempt of a series that ended without success. */
export type Exhausted = { eventId: string; attempt: AttemptRecord };

type Row = {
  id: string;
  workspace_id: string;
  call_id: string;
  agent_id: string;
  event: WebhookEvent;
  series: number;
  attempts: number;
};

const READ = `
  SELECT id::text, workspace_id::text, call_id::text, agent_id::text, event, series, attempts
  FROM events WHERE id = ANY ($1::uuid[])`;

/** `webhook.exhausted`, in the transaction that records these attempts and has counted them in their events. */
export async function tellExhausted(tx: Sql, exhausted: Exhausted[], now: Date): Promise<void> {
  if (exhausted.length === 0) return;
  const rows = await tx.$queryRawUnsafe<Row[]>(
    READ,
    exhausted.map(({ eventId }) => eventId),
  );
  const attemptOf = new Map(exhausted.map(({ eventId, attempt }) => [eventId, attempt]));
  await enqueue(
    tx,
    rows.flatMap((row) => {
      const attempt = attemptOf.get(row.id);
      return attempt ? [toMessage(row, attempt, now)] : [];
    }),
  );
}

function toMessage({ id, workspace_id: workspaceId, ...event }: Row, attempt: AttemptRecord, now: Date) {
  const { url, reason, status, error } = attempt;
  return {
    type: 'webhook.exhausted' as const,
    workspaceId,
    occurredAt: now,
    data: { event_id: id, ...event, url, reason, status, error },
  };
}
