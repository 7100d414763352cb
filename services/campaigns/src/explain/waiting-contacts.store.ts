import { queryRow, type SqlClient, sql } from '@parley/kit/db';
import { z } from 'zod';

/** Waiting contacts of a campaign by reason. `requested`: telephony has a request that it has not dialed yet. */
export type WaitingContacts = {
  total: number;
  pending: number;
  retryDue: number;
  retryLater: number;
  requested: number;
  dialing: number;
  inProgress: number;
  succeeded: number;
  failed: number;
  nextRetryAt: Date | null;
  /** Outside of the allowed destinations [trust.22]; counted to 10,000. */
  notAllowed: number;
};

const count = z.number().optional();
const waitingRow = z.object({
  total: z.number(),
  succeeded: z.number(),
  failed: z.number(),
  counts: z.object({ queued: count, dialing: count, in_progress: count, retrying: count }),
  notAllowed: z.number(),
  due: z.number(),
  next: z.date().nullable(),
});

/** One statement, so that all numbers are consistent. Pending contacts are the rest: a large campaign has too many to count. */
export async function waitingContacts(
  client: SqlClient,
  campaignId: string,
  now: Date,
): Promise<WaitingContacts> {
  const row = await queryRow(
    client,
    waitingRow,
    sql`
    WITH unfinished AS (
      SELECT status, count(*)::int AS count,
        count(*) FILTER (WHERE next_attempt_at <= ${now}::timestamptz)::int AS due,
        min(next_attempt_at) FILTER (WHERE next_attempt_at > ${now}::timestamptz) AS next
      FROM contacts
      WHERE campaign_id = ${campaignId}::uuid AND status IN ('queued', 'dialing', 'in_progress', 'retrying')
      GROUP BY status
    ), tally AS (
      SELECT coalesce(sum(succeeded), 0)::int AS succeeded, coalesce(sum(failed), 0)::int AS failed
      FROM campaign_tallies WHERE campaign_id = ${campaignId}::uuid
    )
    SELECT total_contacts AS total, succeeded, failed,
      coalesce((SELECT json_object_agg(status, count) FROM unfinished), '{}') AS counts,
      (SELECT count(*)::int FROM (SELECT 1 FROM contacts
        WHERE status IN ('pending', 'retrying')
          AND (CASE WHEN status IN ('pending', 'retrying') THEN campaign_id END) = ${campaignId}::uuid
          AND next_attempt_at > ${now}::timestamptz AND last_outcome = 'destination_not_allowed' LIMIT 10000
      ) AS held) AS "notAllowed",
      coalesce((SELECT due FROM unfinished WHERE status = 'retrying'), 0) AS due,
      (SELECT next FROM unfinished WHERE status = 'retrying') AS next
    FROM campaigns, tally WHERE id = ${campaignId}::uuid`,
  );
  if (!row) throw new Error(`campaign ${campaignId} does not exist`);
  const { total, succeeded, failed, counts, due, next, notAllowed } = row;
  const { queued: requested = 0, dialing = 0, in_progress: inProgress = 0, retrying = 0 } = counts;
  return {
    ...{ total, succeeded, failed, requested, dialing, inProgress, notAllowed },
    pending: total - succeeded - failed - requested - dialing - inProgress - retrying,
    retryDue: due,
    retryLater: retrying - due,
    nextRetryAt: next,
  };
}
