/** The expression of `contacts_waiting_idx`, word for word. */
const WAITS_IN = "(CASE WHEN status IN ('pending', 'retrying') THEN campaign_id END)";
const WAITING = `status IN ('pending', 'retrying') AND ${WAITS_IN}`;
/**
 * Retries that are due come before first attempts: they were promised a time. Those are looked for up to the campaign's
 * last contact: behind it lie the ones that are being written, which each look would have to step over. $1 is now.
 */
const dueUpTo = (lastId: string): string[] => [
  'next_attempt_at <= $1::timestamptz',
  `next_attempt_at IS NULL AND id <= ${lastId}`,
];
/** One order for all of them, so that the index alone can serve it. */
const IN_ORDER = 'ORDER BY next_attempt_at, id';

const dueOf = (campaign: string, due: string): string =>
  `FROM contacts WHERE ${WAITING} = ${campaign} AND ${due} ${IN_ORDER}`;

/** Whether somebody of campaign `c` is to be dialled. */
export const HAS_DUE = `(${dueUpTo('c.last_contact_id')
  .map((due) => `EXISTS (SELECT ${dueOf('c.id', due)} LIMIT 1)`)
  .join(' OR ')})`;

/** Of a campaign so many are counted: the first ones say that there are many. */
const COUNTED_OF_CAMPAIGN = 1_000;

/** A row for each contact that could be dialled now, of every running campaign. */
export const DUE_OF_RUNNING = `
  FROM (SELECT id, last_contact_id FROM campaigns WHERE status = 'running' ORDER BY phone_number_id, id) AS c
  CROSS JOIN LATERAL (
    (${dueUpTo('c.last_contact_id')
      .map((due) => `SELECT id ${dueOf('c.id', due)} LIMIT ${COUNTED_OF_CAMPAIGN}`)
      .join(') UNION ALL (')})
  ) AS due`;

const takeOf = (due: string): string =>
  `SELECT id FROM (SELECT id ${dueOf('share.campaign_id', due)} LIMIT share.most FOR UPDATE SKIP LOCKED) AS taken`;

/** Claims of each campaign in $2 as many as stand beside it in $3, up to its last contact in $4. */
export const CLAIM = `
  WITH due AS MATERIALIZED (
    SELECT share.campaign_id, contact.id
    FROM unnest($2::uuid[], $3::int[], $4::uuid[]) AS share (campaign_id, most, last_id) CROSS JOIN LATERAL (
      ${dueUpTo('share.last_id').map(takeOf).join(' UNION ALL ')} LIMIT share.most
    ) AS contact
  )
  UPDATE contacts c SET status = 'queued' FROM due WHERE c.campaign_id = due.campaign_id AND c.id = due.id
  RETURNING c.campaign_id::text AS "campaignId", c.id::text, c.phone_number AS "phoneNumber",
    c.contact_name AS "contactName", c.custom_data AS "customData"`;
