import { queryRow, type SqlClient, sql } from '@parley/kit/db';
import { z } from 'zod';

// The position of every thousandth contact of a campaign, so that the last page of a million is as fast as the first.

export const MARK_INTERVAL = 1000;

/** Marks contacts from the given one to the last. Requires that nothing else writes contacts of the campaign. */
export async function markContacts(tx: SqlClient, campaignId: string, firstId: string): Promise<void> {
  // Contacts of an upload that overlaps with this one move, and their marks with them.
  await tx.$executeRaw(
    sql`DELETE FROM contact_marks WHERE campaign_id = ${campaignId}::uuid AND id >= ${firstId}::uuid`,
  );
  await tx.$executeRaw(sql`
    WITH last AS (
      SELECT position, id FROM contact_marks WHERE campaign_id = ${campaignId}::uuid ORDER BY position DESC LIMIT 1
    ), base AS (
      SELECT coalesce((SELECT position FROM last), 0) + (
        SELECT count(*) FROM contacts
        WHERE campaign_id = ${campaignId}::uuid AND id < ${firstId}::uuid
          AND ((SELECT id FROM last) IS NULL OR id >= (SELECT id FROM last))
      ) AS position
    )
    INSERT INTO contact_marks (campaign_id, position, id)
    SELECT ${campaignId}::uuid, position, id FROM (
      SELECT id, (SELECT position FROM base) + row_number() OVER (ORDER BY id) - 1 AS position
      FROM contacts WHERE campaign_id = ${campaignId}::uuid AND id >= ${firstId}::uuid
    ) AS numbered WHERE position % ${MARK_INTERVAL}::int = 0`);
}

/** Marks the contacts of a new campaign, whose every thousandth is known, without reading them. */
export async function markFirstContacts(
  tx: SqlClient,
  campaignId: string,
  ids: readonly string[],
): Promise<void> {
  await tx.$executeRaw(sql`
    INSERT INTO contact_marks (campaign_id, position, id)
    SELECT ${campaignId}::uuid, (place - 1) * ${MARK_INTERVAL}::int, id
    FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS mark (id, place)`);
}

const markRow = z.object({ position: z.number(), id: z.string() });

/** The contact from which to read a page, and how many to skip from there. */
export async function seekContact(
  client: SqlClient,
  campaignId: string,
  offset: number,
): Promise<{ id: string; skip: number } | undefined> {
  const mark = await queryRow(
    client,
    markRow,
    sql`
    SELECT position, id::text FROM contact_marks
    WHERE campaign_id = ${campaignId}::uuid AND position <= ${offset}::integer ORDER BY position DESC LIMIT 1`,
  );
  return mark && { id: mark.id, skip: offset - mark.position };
}
