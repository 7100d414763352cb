import { randomUUID } from 'node:crypto';
import type { SqlClient } from '@parley/testkit';

/** Contacts that were called before, and are due again long after the measurement. */

/** Makes some contacts of each campaign due during the measurement, evenly spread. */

export type Seed = { campaigns: number; contacts: number };

/** Running campaigns, each with its own number and workspace, whose contacts all wait. */
export async function seedCampaigns(sql: SqlClient, { campaigns, contacts }: Seed): Promise<void> {
  const each = Math.floor(contacts / campaigns);
  for (let n = 0; n < campaigns; n += 1) {
    const [id, numberId] = [randomUUID(), randomUUID()];
    await sql.$executeRaw`
  INSERT INTO campaigns (id, workspace_id, name, agent_id, phone_number_id, phone_number, status, total_contacts,
    max_retries, retry_intervals, started_at, created_at, updated_at)
  VALUES (${id}::uuid, ${randomUUID()}::uuid, 'Bench', ${randomUUID()}::uuid, ${numberId}::uuid, '+15550000000', 'running', ${each}, 10, '{10000}', now(), now(), now())`;
    await sql.$executeRaw`INSERT INTO dial_lanes (phone_number_id) VALUES (${numberId}::uuid)`;
    await sql.$executeRaw`
  INSERT INTO contacts (campaign_id, id, phone_number, status, attempts, last_outcome, next_attempt_at)
  SELECT ${id}::uuid, ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, '+1' || (2000000000 + n), 'retrying', 1, 'dial_busy',
    now() + interval '1 day' + n * interval '1 second'
  FROM generate_series(1, ${each}::int) AS n`;
  }
  // As autovacuum would have done by the time the contacts are due.
  await sql.$executeRaw`VACUUM ANALYZE contacts`;
}

export type Due = { campaigns: number; due: number; fromMs: number; seconds: number };

/** Makes `due` contacts due over `seconds`; returns their due times, by campaign and contact. */
export async function schedule(
  sql: SqlClient,
  { campaigns, due, fromMs, seconds }: Due,
): Promise<Map<string, number>> {
  const each = Math.floor(due / campaigns);
  const rows = await sql.$queryRaw<{ key: string; at: Date }[]>`
  UPDATE contacts c SET next_attempt_at = to_timestamp(${fromMs}::float8 / 1000) + (n - random()) * ${seconds}::float8 / ${each} * interval '1 second'
  FROM campaigns p, generate_series(1, ${each}::int) AS n
  WHERE c.campaign_id = p.id AND c.id = ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid
  RETURNING c.campaign_id || ' ' || c.id AS key, c.next_attempt_at AS at`;
  return new Map(rows.map(({ key, at }) => [key, at.getTime()]));
}
