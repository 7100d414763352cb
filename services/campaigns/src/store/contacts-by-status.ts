import type { ContactStatus } from '@parley/contracts';
import type { Sql } from '@parley/kit/db';
import type { Campaign } from '../domain/campaign.ts';
import type { Page } from '../domain/ports.ts';
import type { Contact } from '../generated/prisma/client.ts';

/** Where contacts of a status are stored (see `contact-pages.ts`): one or two stretches of an index. */
function storedAs(status: ContactStatus, isCancelled: boolean): string[] {
  const waits = status === 'pending' || status === 'retrying';
  if (isCancelled && waits) return [];
  if (waits)
    return [`status = '${status}'`, `status = 'queued' AND attempts ${status === 'pending' ? '=' : '>'} 0`];
  if (status === 'cancelled') return isCancelled ? ["status = 'pending'", "status = 'retrying'"] : [];
  if (status === 'dialing' && isCancelled) return ["status = 'dialing'", "status = 'queued'"];
  return [`status = '${status}'`];
}

const LIST = 'FROM contacts WHERE campaign_id = $1::uuid AND id <= $2::uuid AND';
const COLUMNS = `campaign_id::text AS "campaignId", id::text, phone_number AS "phoneNumber", contact_name AS "contactName",
  custom_data AS "customData", status, attempts, last_call_id::text AS "lastCallId", last_outcome AS "lastOutcome",
  next_attempt_at AS "nextAttemptAt"`;

/** Each stretch is in the order of the list: asked for both at once, the planner would walk the whole list instead. */
const pageOf = (stretches: string[]): string => `
  WITH page AS MATERIALIZED (
    SELECT id FROM (${stretches.map((it) => `(SELECT id ${LIST} ${it} ORDER BY id LIMIT $3::bigint + $4::bigint)`).join(' UNION ALL ')}) AS found
    ORDER BY id LIMIT $3::bigint OFFSET $4::bigint
  )
  SELECT ${COLUMNS} FROM page JOIN contacts USING (id) WHERE campaign_id = $1::uuid ORDER BY id`;
const countOf = (stretches: string[]): string =>
  `SELECT (${stretches.map((it) => `(SELECT count(*) ${LIST} ${it})`).join(' + ')})::int AS total`;

/** A page of the contacts that clients see in a status. */
export async function contactsByStatus(
  sql: Sql,
  { id, status: state, lastContactId }: Campaign,
  { status, limit, offset }: { status: ContactStatus; limit: number; offset: number },
): Promise<Page<Contact>> {
  const stretches = storedAs(status, state === 'cancelled');
  if (stretches.length === 0) return { total: 0, items: [] };
  const [[count], items] = await Promise.all([
    sql.$queryRawUnsafe<{ total: number }[]>(countOf(stretches), id, lastContactId),
    sql.$queryRawUnsafe<Contact[]>(pageOf(stretches), id, lastContactId, limit, offset),
  ]);
  return { total: count?.total ?? 0, items };
}
