import { z } from 'zod';
import { e164, isoMillis, jsonObject, uuid } from './primitives.ts';

export const CAMPAIGN_STATUSES = [
  'draft',
  'scheduled',
  'running',
  'paused',
  'completed',
  'cancelled',
  'dormant',
] as const;
export const campaignStatus = z.enum(CAMPAIGN_STATUSES);
export type CampaignStatus = z.output<typeof campaignStatus>;

const minute = z.int().min(0).max(1440);

function isTimeZone(tz: string): boolean {
  // Newer engines also read offsets (`+01:00`), which are no zones of IANA.
  if (!/^[A-Za-z]/.test(tz)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: tz });
    return true;
  } catch {
    return false;
  }
}

/** As kept: a zone that was known when it was sent may be unknown to the machine that reads it. */
export const storedBusinessHours = z.object({
  tz: z.string(),
  days: z.array(z.int().min(1).max(7)).min(1),
  windows: z
    .array(
      z.object({ start: minute, end: minute }).refine((w) => w.start < w.end, {
        error: 'must end after it starts; split it at midnight',
        path: ['end'],
      }),
    )
    .min(1),
});

/** More of them say nothing that fewer couldn't; the hours are worked out at every dial. */
const MOST_WINDOWS = 100;

/** When a campaign may dial: ISO days (1 = Monday) and minutes since local midnight (spec: Campaign, business_hours). */
export const businessHours = storedBusinessHours.extend({
  days: storedBusinessHours.shape.days.max(7),
  windows: storedBusinessHours.shape.windows.max(MOST_WINDOWS),
  tz: z.string().refine(isTimeZone, { error: 'must be an IANA time zone' }),
});
export type BusinessHours = z.output<typeof businessHours>;

/** Request element of `contacts`. */
export const contactInput = z.object({
  phone_number: e164,
  contact_name: z.string().max(255).optional(),
  custom_data: jsonObject.optional(),
});
export type ContactInput = z.output<typeof contactInput>;

/** The single read (spec: GET /v1/campaigns/{id}). */
export const campaign = z.object({
  campaign_id: uuid,
  campaign_name: z.string(),
  status: campaignStatus,
  total_contacts: z.int(),
  completed_calls: z.int(),
  successful_calls: z.int(),
  failed_calls: z.int(),
  started_at: isoMillis.nullable(),
  business_hours: storedBusinessHours.nullable(),
  completed_at: isoMillis.nullable(),
  scheduled_at: isoMillis.nullable(),
  created_at: isoMillis,
  updated_at: isoMillis,
});

/** D7.5. `phone_number` is null once the number is gone (D5.4). */
export const campaignListItem = campaign.extend({ agent_id: uuid, phone_number: z.string().nullable() });

/** The answer of creation (spec: POST /v1/campaigns). */
export const campaignCreated = campaign.pick({
  campaign_id: true,
  campaign_name: true,
  status: true,
  total_contacts: true,
  business_hours: true,
  scheduled_at: true,
  created_at: true,
});

export const CONTACT_STATUSES = [
  'pending',
  'dialing',
  'in_progress',
  'retrying',
  'succeeded',
  'failed',
  'cancelled',
] as const;
export const contactStatus = z.enum(CONTACT_STATUSES);
export type ContactStatus = z.output<typeof contactStatus>;

/** D7.6. */
export const contact = z.object({
  id: uuid,
  phone_number: z.string(),
  contact_name: z.string().nullable(),
  custom_data: jsonObject,
  status: contactStatus,
  attempts: z.int(),
  last_call_id: uuid.nullable(),
  last_outcome: z.string().nullable(),
  next_attempt_at: isoMillis.nullable(),
});
