import { type SqlClient, sql } from '@parley/kit/db';
import type { RetentionStep } from '@parley/kit/removal';

const BATCH = 500;

const removeAttempts = (tx: SqlClient, workspaceId: string, before: Date): Promise<number> =>
  tx.$executeRaw(sql`
    DELETE FROM attempts WHERE (event_id, series, attempt, started_at) IN (
      SELECT event_id, series, attempt, started_at FROM attempts
      WHERE workspace_id = ${workspaceId}::uuid AND started_at < ${before}::timestamptz LIMIT ${BATCH})`);

/** Pending events stay. Attempts go with their event. */
const removeEvents = (tx: SqlClient, workspaceId: string, before: Date): Promise<number> =>
  tx.$executeRaw(sql`
    WITH old AS MATERIALIZED (
      SELECT id FROM events
      WHERE workspace_id = ${workspaceId}::uuid AND created_at < ${before}::timestamptz AND status <> 'pending'
      ORDER BY created_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
    ), log AS (DELETE FROM attempts WHERE event_id IN (SELECT id FROM old))
    DELETE FROM events WHERE id IN (SELECT id FROM old)`);

/** A workspace's own retention [trust.21]. An event describes its call, so it goes with the calls as well. */
export const RETENTION_STEPS: readonly RetentionStep[] = [
  { kind: 'attempts', place: 'webhook_attempts', remove: removeAttempts },
  { kind: 'attempts', place: 'webhook_events', remove: removeEvents },
  { kind: 'calls', place: 'webhook_events', remove: removeEvents },
];
