import { type CampaignCreation, campaignCreation } from '@parley/contracts';
import { parseInput, validationFailed } from '@parley/kit/errors';
import { z } from 'zod';
import { wakeAt } from './apply-move.ts';
import type { Campaign } from './campaign.ts';
import type { UploadFields } from './upload/read-upload.ts';

const uploadSchema = campaignCreation.extend({ contacts: z.array(z.unknown()).min(1) });

/** What stands beside the contacts, by the contract. Throws `VALIDATION_FAILED`. */
export function readCreation(fields: UploadFields, now: Date): CampaignCreation {
  const { contacts: _, ...creation } = parseInput(uploadSchema, fields);
  if (creation.scheduled_at && new Date(creation.scheduled_at) <= now) {
    const message = 'scheduled_at must be in the future';
    throw validationFailed([{ path: 'scheduled_at', code: 'too_small', message }]);
  }
  return creation;
}

type Origin = Pick<Campaign, 'id' | 'workspaceId' | 'phoneNumberId' | 'totalContacts' | 'lastContactId'>;

/** A campaign as it begins: `draft`, or `scheduled` (spec: Campaign states). */
export function newCampaign(origin: Origin, creation: CampaignCreation, now: Date): Campaign {
  const scheduledAt = creation.scheduled_at ? new Date(creation.scheduled_at) : null;
  const businessHours = creation.business_hours;
  const status = scheduledAt ? 'scheduled' : 'draft';
  return {
    ...origin,
    name: creation.campaign_name,
    agentId: creation.agent_id,
    phoneNumber: creation.phone_number,
    status,
    generation: 1,
    withdrawalOwed: false,
    maxRetries: creation.max_retries,
    retryIntervals: creation.retry_intervals ?? [],
    businessHours,
    scheduledAt,
    wakeAt: wakeAt({ businessHours, scheduledAt }, status, now),
    startedAt: null,
    completedAt: null,
    createdAt: now,
    updatedAt: now,
  };
}
