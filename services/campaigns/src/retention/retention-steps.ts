import { queryRow, sql } from '@parley/kit/db';
import type { RetentionStep } from '@parley/kit/removal';
import { z } from 'zod';

const BATCH = 1_000;
const idRow = z.object({ id: z.string() });

/** Removes the contacts of campaigns that ended before, batch by batch. The campaign stays with its counts [trust.21]. */
const removeContacts: RetentionStep['remove'] = async (tx, workspaceId, before) => {
  const campaign = await queryRow(
    tx,
    idRow,
    sql`
    SELECT id::text FROM campaigns
    WHERE workspace_id = ${workspaceId}::uuid AND status IN ('completed', 'cancelled') AND contacts_removed_at IS NULL
      AND coalesce(completed_at, updated_at) < ${before}::timestamptz
      AND NOT EXISTS (SELECT FROM attempts a WHERE a.campaign_id = campaigns.id
        AND a.state IN ('requested', 'dialled', 'answered'))
    ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED`,
  );
  if (!campaign) return 0;
  const { id } = campaign;
  const removed = await tx.$executeRaw(sql`
    DELETE FROM contacts WHERE campaign_id = ${id}::uuid
      AND id = ANY (ARRAY (SELECT id FROM contacts WHERE campaign_id = ${id}::uuid ORDER BY id LIMIT ${BATCH}))`);
  if (removed < BATCH) {
    await tx.$executeRaw(sql`
      WITH marks AS (DELETE FROM contact_marks WHERE campaign_id = ${id}::uuid)
      UPDATE campaigns SET contacts_removed_at = ${before}::timestamptz WHERE id = ${id}::uuid`);
  }
  // A campaign without contacts counts as well: 0 would end the run.
  return Math.max(1, removed);
};

export const RETENTION_STEPS: readonly RetentionStep[] = [
  { kind: 'contacts', place: 'contacts', remove: removeContacts },
];
