import type { Sql } from '@parley/kit/db';

/** Every so many contacts one is marked. */
export const MARKS_APART = 1000;

/** From the first contact of an upload on: contacts of another one that overlaps with it move on, and their marks too. */
const FORGET = 'DELETE FROM contact_marks WHERE campaign_id = $1::uuid AND id >= $2::uuid';
const MARK = `
  WITH last AS (
    SELECT position, id FROM contact_marks WHERE campaign_id = $1::uuid ORDER BY position DESC LIMIT 1
  ), base AS (
    SELECT coalesce((SELECT position FROM last), 0) + (
      SELECT count(*) FROM contacts
      WHERE campaign_id = $1::uuid AND id < $2::uuid AND ((SELECT id FROM last) IS NULL OR id >= (SELECT id FROM last))
    ) AS position
  )
  INSERT INTO contact_marks (campaign_id, position, id)
  SELECT $1::uuid, position, id FROM (
    SELECT id, (SELECT position FROM base) + row_number() OVER (ORDER BY id) - 1 AS position
    FROM contacts WHERE campaign_id = $1::uuid AND id >= $2::uuid
  ) AS numbered WHERE position % ${MARKS_APART} = 0`;
const MARK_FIRST = `
  INSERT INTO contact_marks (campaign_id, position, id)
  SELECT $1::uuid, (place - 1) * ${MARKS_APART}, id FROM unnest($2::uuid[]) WITH ORDINALITY AS mark (id, place)`;
const NEAREST = `
  SELECT position, id::text FROM contact_marks WHERE campaign_id = $1::uuid AND position <= $2::integer
  ORDER BY position DESC LIMIT 1`;

/** Writes where contacts stand, from the given one to the last; nobody else may write contacts of the campaign meanwhile. */
export async function markContacts(tx: Sql, campaignId: string, firstId: string): Promise<void> {
  await tx.$executeRawUnsafe(FORGET, campaignId, firstId);
  await tx.$executeRawUnsafe(MARK, campaignId, firstId);
}

/** The same for the first contacts of a campaign, all of them stored: every thousandth is known, and none need be read. */
export async function markFirstContacts(
  tx: Sql,
  campaignId: string,
  marks: readonly string[],
): Promise<void> {
  await tx.$executeRawUnsafe(MARK_FIRST, campaignId, marks);
}

/** From which contact a page begins, and how many to leave out from there. */
export async function seekContact(
  sql: Sql,
  campaignId: string,
  offset: number,
): Promise<{ id: string; skip: number } | undefined> {
  const [mark] = await sql.$queryRawUnsafe<{ position: number; id: string }[]>(NEAREST, campaignId, offset);
  return mark && { id: mark.id, skip: offset - mark.position };
}
