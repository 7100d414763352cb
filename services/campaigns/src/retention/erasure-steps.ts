import { queryRow, raw, type Statement, sql } from '@parley/kit/db';
import {
  awaitOutbox,
  type DeleteOptions,
  deleteRows,
  eraseRefused,
  eraseStoredAnswers,
  type PageStep,
  type RemovalStep,
  replaceMentions,
  walkTable,
} from '@parley/kit/removal';
import { z } from 'zod';

/** As text for kit's steps, whose `$1` is the workspace. */
const OF_CAMPAIGN =
  'EXISTS (SELECT FROM campaigns p WHERE p.id = t.campaign_id AND p.workspace_id = $1::uuid)';

const ofWorkspace = (workspaceId: string): Statement =>
  sql`EXISTS (SELECT FROM campaigns p WHERE p.id = t.campaign_id AND p.workspace_id = ${workspaceId}::uuid)`;

const erasedRow = z.object({ erased: z.number(), found: z.number() });

/**
 * A waiting contact is no longer called and counts as failed; one that is being called is erased in a later pass, when its
 * attempt has ended. Outcomes and counts stay, so that the campaign's totals remain correct.
 */
const eraseContacts: PageStep = async (tx, { workspaceId, phoneNumber }, pages) => {
  const table = raw(pages.part);
  const row = await queryRow(
    tx,
    erasedRow,
    sql`
    WITH hit AS MATERIALIZED (
      SELECT t.ctid AS at, t.status FROM ${table} t
      WHERE t.ctid >= ${pages.from}::tid AND t.ctid < ${pages.to}::tid AND t.phone_number = ${phoneNumber}
        AND ${ofWorkspace(workspaceId)} FOR UPDATE OF t
    ), erased AS (
      UPDATE ${table} t SET phone_number = 'erased', contact_name = NULL, custom_data = NULL, next_attempt_at = NULL,
        status = CASE WHEN hit.status IN ('pending', 'retrying') THEN 'failed' ELSE hit.status END,
        last_outcome = CASE WHEN hit.status = 'pending' THEN 'erased' ELSE t.last_outcome END
      FROM hit WHERE t.ctid = hit.at AND hit.status NOT IN ('queued', 'dialing', 'in_progress')
      RETURNING t.campaign_id, t.id, hit.status AS was
    ), tally AS (
      INSERT INTO campaign_tallies AS c (campaign_id, shard, succeeded, failed)
      SELECT campaign_id, ('x' || right(id::text, 1))::bit(4)::int, 0, count(*) FROM erased
      WHERE was IN ('pending', 'retrying') GROUP BY 1, 2 ORDER BY 1, 2
      ON CONFLICT (campaign_id, shard) DO UPDATE SET failed = c.failed + EXCLUDED.failed
    )
    SELECT (SELECT count(*) FROM erased)::int AS erased, (SELECT count(*) FROM hit)::int AS found`,
  );
  const { erased = 0, found = 0 } = row ?? {};
  const waiting = found > erased ? 'a contact that is being called' : null;
  return { removed: { contacts: erased }, waiting };
};

/** [trust.19] */
export const ERASURE_STEPS: readonly RemovalStep[] = [
  walkTable('contacts', [
    replaceMentions({
      columns: { contact_name: 'text', custom_data: 'json' },
      ofWorkspace: OF_CAMPAIGN,
      numberColumn: 'phone_number',
    }),
    // Last, since it locks tallies: the update of an attempt locks its contact before the tally.
    eraseContacts,
  ]),
  walkTable('campaigns', [replaceMentions({ columns: { name: 'text' } })]),
  ...eraseStoredAnswers,
  eraseRefused,
  awaitOutbox,
];

/** Stops dialing before anything is deleted. */
const cancelCampaigns: RemovalStep = async (tx, { workspaceId }) => {
  await tx.$executeRaw(sql`
    UPDATE campaigns SET status = 'cancelled', generation = generation + 1, wake_at = NULL, withdrawal_owed = false
    WHERE workspace_id = ${workspaceId}::uuid AND status <> 'cancelled'`);
  return { next: null };
};

const OWNED: readonly DeleteOptions[] = [
  { table: 'attempts' },
  { table: 'contacts', ofWorkspace: OF_CAMPAIGN },
  { table: 'contact_marks', ofWorkspace: OF_CAMPAIGN },
  { table: 'campaign_tallies', ofWorkspace: OF_CAMPAIGN },
  {
    table: 'dial_lanes',
    ofWorkspace:
      'EXISTS (SELECT FROM campaigns p WHERE p.phone_number_id = t.phone_number_id AND p.workspace_id = $1::uuid)',
  },
  { table: 'campaigns' },
  { table: 'retirements' },
  { table: 'retention' },
  { table: 'idempotency_keys', place: 'stored_answers' },
];

/** [trust.25] */
export const WORKSPACE_STEPS: readonly RemovalStep[] = [
  cancelCampaigns,
  ...OWNED.map(deleteRows),
  eraseRefused,
  awaitOutbox,
];
