import { randomUUID } from 'node:crypto';
import type { SqlClient } from '@parley/testkit';

const CAMPAIGN = `
  INSERT INTO campaigns (id, workspace_id, name, agent_id, phone_number_id, phone_number, status, total_contacts,
    max_retries, retry_intervals, started_at, created_at, updated_at)
  VALUES ($1::uuid, $2::uuid, 'Bench', $3::uuid, $4::uuid, '+15550000000', 'running', $5, 10, '{10000}', now(), now(), now())`;
/** Called before, and to be called again: some within the time that is measured, evenly, all others long after it. */
const CONTACTS = `
  INSERT INTO contacts (campaign_id, id, phone_number, status, attempts, last_outcome, next_attempt_at)
  SELECT $1::uuid, ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, '+1' || (2000000000 + n), 'retrying', 1, 'dial_busy',
    CASE WHEN n <= $3 THEN to_timestamp($4::float8 / 1000) + (n - random()) * $5::float8 / $3 * interval '1 second'
      ELSE to_timestamp($4::float8 / 1000) + interval '1 day' + n * interval '1 second' END
  FROM generate_series(1, $2::int) AS n`;

const DUE = `
  SELECT campaign_id || ' ' || id AS key, next_attempt_at AS at FROM contacts
  WHERE next_attempt_at < to_timestamp($1::float8 / 1000) + interval '12 hours'`;

export type Seed = { campaigns: number; contacts: number; due: number; fromMs: number; seconds: number };

/**
 * Running campaigns, each of a number and a workspace of its own, whose contacts all wait. Gives when those become due
 * that do so in time, by campaign and contact.
 */
export async function seedCampaigns(sql: SqlClient, seed: Seed): Promise<Map<string, number>> {
  const each = Math.floor(seed.contacts / seed.campaigns);
  const dueEach = Math.floor(seed.due / seed.campaigns);
  for (let n = 0; n < seed.campaigns; n += 1) {
    const [id, numberId] = [randomUUID(), randomUUID()];
    await sql.$executeRawUnsafe(CAMPAIGN, id, randomUUID(), randomUUID(), numberId, each);
    await sql.$executeRawUnsafe('INSERT INTO dial_lanes (phone_number_id) VALUES ($1::uuid)', numberId);
    await sql.$executeRawUnsafe(CONTACTS, id, each, dueEach, seed.fromMs, seed.seconds);
  }
  const rows = await sql.$queryRawUnsafe<{ key: string; at: Date }[]>(DUE, seed.fromMs);
  return new Map(rows.map(({ key, at }) => [key, at.getTime()]));
}
