import { join, raw, type Statement, sql } from '@parley/kit/db';

/** The expression of `contacts_waiting_idx`, word for word. */
const WAITS_IN = sql`(CASE WHEN status IN ('pending', 'retrying') THEN campaign_id END)`;

/**
 * Due contacts of a campaign in two parts, each in the order of the index: retries come before first attempts, because they
 * have a promised time. First attempts are searched up to the campaign's last contact: behind it lie those of a running
 * upload, which each search would have to skip.
 */
const dueParts = (campaignId: Statement, lastId: Statement, now: Date): Statement[] =>
  [sql`next_attempt_at <= ${now}::timestamptz`, sql`next_attempt_at IS NULL AND id <= ${lastId}`].map(
    (isDue) => sql`
      FROM contacts WHERE status IN ('pending', 'retrying') AND ${WAITS_IN} = ${campaignId} AND ${isDue}
      ORDER BY next_attempt_at, id`,
  );

const ofCampaign = (now: Date): Statement[] => dueParts(raw('c.id'), raw('c.last_contact_id'), now);

/** Whether campaign `c` has a contact to dial. */
export const hasDue = (now: Date): Statement =>
  sql`(${join(
    ofCampaign(now).map((part) => sql`EXISTS (SELECT ${part} LIMIT 1)`),
    ' OR ',
  )})`;

/** A row per contact that could be dialed now, of every running campaign; up to 1,000 per part of a campaign. */
export const dueOfRunning = (now: Date): Statement => sql`
  FROM (SELECT id, last_contact_id FROM campaigns WHERE status = 'running' ORDER BY phone_number_id, id) AS c
  CROSS JOIN LATERAL (
    (${join(
      ofCampaign(now).map((part) => sql`SELECT id ${part} LIMIT 1000`),
      ') UNION ALL (',
    )})
  ) AS due`;

/** Claims at most `max` contacts of each campaign. */
export const claimStatement = (
  shares: readonly { campaignId: string; max: number; lastContactId: string }[],
  now: Date,
): Statement => sql`
  WITH due AS MATERIALIZED (
    SELECT share.campaign_id, contact.id
    FROM unnest(
      ${shares.map(({ campaignId }) => campaignId)}::uuid[], ${shares.map(({ max }) => max)}::int[],
      ${shares.map(({ lastContactId }) => lastContactId)}::uuid[]
    ) AS share (campaign_id, max, last_id) CROSS JOIN LATERAL (
      ${join(
        dueParts(raw('share.campaign_id'), raw('share.last_id'), now).map(
          (part) => sql`SELECT id FROM (SELECT id ${part} LIMIT share.max FOR UPDATE SKIP LOCKED) AS taken`,
        ),
        ' UNION ALL ',
      )} LIMIT share.max
    ) AS contact
  )
  UPDATE contacts c SET status = 'queued' FROM due WHERE c.campaign_id = due.campaign_id AND c.id = due.id
  RETURNING c.campaign_id::text AS "campaignId", c.id::text, c.phone_number AS "phoneNumber",
    c.contact_name AS "contactName", c.custom_data AS "customData"`;
