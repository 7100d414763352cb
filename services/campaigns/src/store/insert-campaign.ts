import type { Sql } from '@parley/kit/db';
import type { Campaign } from '../domain/campaign.ts';

const CAMPAIGN = `
  INSERT INTO campaigns (id, workspace_id, name, agent_id, phone_number_id, phone_number, status, generation,
    withdrawal_owed, total_contacts, max_retries, retry_intervals, business_hours, scheduled_at, wake_at,
    started_at, completed_at, created_at, updated_at, last_contact_id)
  VALUES ($1::uuid, $2::uuid, $3, $4::uuid, $5::uuid, $6, $7, $8, $9, $10, $11, $12::integer[], $13::jsonb,
    $14::timestamptz, $15::timestamptz, $16::timestamptz, $17::timestamptz, $18::timestamptz, $19::timestamptz, $20::uuid)`;
const LANE = 'INSERT INTO dial_lanes (phone_number_id) VALUES ($1::uuid) ON CONFLICT DO NOTHING';

/** The campaign, and the lane of its number. By SQL alone: the transaction is that of the contacts, not Prisma's. */
export async function insertCampaign(tx: Sql, campaign: Campaign): Promise<void> {
  await tx.$executeRawUnsafe(
    CAMPAIGN,
    campaign.id,
    campaign.workspaceId,
    campaign.name,
    campaign.agentId,
    campaign.phoneNumberId,
    campaign.phoneNumber,
    campaign.status,
    campaign.generation,
    campaign.withdrawalOwed,
    campaign.totalContacts,
    campaign.maxRetries,
    campaign.retryIntervals,
    campaign.businessHours && JSON.stringify(campaign.businessHours),
    ...[
      campaign.scheduledAt,
      campaign.wakeAt,
      campaign.startedAt,
      campaign.completedAt,
      campaign.createdAt,
      campaign.updatedAt,
    ].map((instant) => instant?.toISOString() ?? null),
    campaign.lastContactId,
  );
  await tx.$executeRawUnsafe(LANE, campaign.phoneNumberId);
}
