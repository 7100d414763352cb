import type { Sql } from '@parley/kit/db';
import type { WaitingContacts } from '../domain/ports.ts';

/**
 * One statement, so that the sums tell of one moment. Those not tried yet are what is left: in a large campaign they are
 * too many to count.
 */
const WAITING = `
  WITH unsettled AS (
    SELECT status, count(*)::int AS count, count(*) FILTER (WHERE next_attempt_at <= $2::timestamptz)::int AS due,
      min(next_attempt_at) FILTER (WHERE next_attempt_at > $2::timestamptz) AS next
    FROM contacts WHERE campaign_id = $1::uuid AND status IN ('queued', 'dialing', 'in_progress', 'retrying')
    GROUP BY status
  ), tally AS (
    SELECT coalesce(sum(succeeded), 0)::int AS succeeded, coalesce(sum(failed), 0)::int AS failed
    FROM campaign_tallies WHERE campaign_id = $1::uuid
  )
  SELECT total_contacts AS total, succeeded, failed,
    coalesce((SELECT json_object_agg(status, count) FROM unsettled), '{}') AS counts,
    coalesce((SELECT due FROM unsettled WHERE status = 'retrying'), 0) AS due,
    (SELECT next FROM unsettled WHERE status = 'retrying') AS next
  FROM campaigns, tally WHERE id = $1::uuid`;

type Row = {
  total: number;
  succeeded: number;
  failed: number;
  counts: Partial<Record<'queued' | 'dialing' | 'in_progress' | 'retrying', number>>;
  due: number;
  next: Date | null;
};

export async function waitingContacts(sql: Sql, campaignId: string, now: Date): Promise<WaitingContacts> {
  const [row] = await sql.$queryRawUnsafe<Row[]>(WAITING, campaignId, now.toISOString());
  if (!row) throw new Error(`campaign ${campaignId} is not there`);
  const { total, succeeded, failed, counts, due, next } = row;
  const { queued: requested = 0, dialing = 0, in_progress: inProgress = 0, retrying = 0 } = counts;
  return {
    ...{ total, succeeded, failed, requested, dialing, inProgress },
    pending: total - succeeded - failed - requested - dialing - inProgress - retrying,
    retryDue: due,
    retryLater: retrying - due,
    nextRetryAt: next,
  };
}
