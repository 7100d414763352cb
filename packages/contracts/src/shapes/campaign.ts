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

const minute = z
  .int()
  .min(0)
  .max(1440)
  .describe('Minutes since local midnight; the start lies before the end');

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
  tz: z.string().describe('An IANA time zone'),
  days: z.array(z.int().min(1).max(7)).min(1).describe('1 is Monday, 7 Sunday'),
  windows: z
    .array(
      z.object({ start: minute, end: minute }).refine((w) => w.start < w.end, {
        error: 'must end after it starts; split it at midnight',
        path: ['end'],
      }),
    )
    .min(1)
    .describe('Hours of such a day; one across midnight is split over two days'),
});

/** More of them say nothing that fewer couldn't; the hours are worked out at every dial. */
const MOST_WINDOWS = 100;

/** When a campaign may dial: ISO days (1 = Monday) and minutes since local midnight (spec: Campaign, business_hours). */
export const businessHours = storedBusinessHours.extend({
  days: storedBusinessHours.shape.days.max(7),
  windows: storedBusinessHours.shape.windows.max(MOST_WINDOWS),
  tz: z
    .string()
    .refine(isTimeZone, { error: 'must be an IANA time zone' })
    .meta({ description: 'An IANA time zone', examples: ['Europe/Berlin'] }),
});
export type BusinessHours = z.output<typeof businessHours>;

/** Request element of `contacts`. */
export const contactInput = z.object({
  phone_number: e164.describe('Whom to call, E.164'),
  contact_name: z.string().max(255).optional().describe('Fills `{{contact_name}}`'),
  custom_data: jsonObject.optional().describe('Each key fills the `{{placeholder}}` of its name'),
});
export type ContactInput = z.output<typeof contactInput>;

/** The single read (spec: GET /v1/campaigns/{id}). */
export const campaign = z
  .object({
    campaign_id: uuid.describe('The campaign'),
    campaign_name: z.string().describe('For people'),
    status: campaignStatus.describe('`dormant`: running, outside its business hours'),
    total_contacts: z.int().describe('Contacts that it has'),
    completed_calls: z.int().describe('Contacts with their final outcome: the sum of the next two'),
    successful_calls: z.int().describe('Contacts that were reached'),
    failed_calls: z.int().describe('Contacts that were given up'),
    started_at: isoMillis
      .nullable()
      .describe('When it first ran; null until then, also while it has only been dormant'),
    business_hours: storedBusinessHours.nullable().describe('When it may dial; null: always'),
    completed_at: isoMillis.nullable().describe('When it ended, also if it was cancelled; null before'),
    scheduled_at: isoMillis.nullable().describe('When it starts by itself; null: when it is resumed'),
    created_at: isoMillis.describe('When it was created'),
    updated_at: isoMillis.describe('Last change'),
  })
  .meta({ id: 'Campaign', description: 'A campaign with its counters' });

/** D7.5. `phone_number` is null once the number is gone (D5.4). */
export const campaignListItem = campaign
  .extend({
    agent_id: uuid.describe('The assistant that talks'),
    phone_number: z.string().nullable().describe('The number that it dials from; null once it is deleted'),
  })
  .meta({ id: 'CampaignListItem', description: 'A campaign as lists show it' });

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
export const contact = z
  .object({
    id: uuid.describe('The contact'),
    phone_number: z.string().describe('As it was sent, E.164'),
    contact_name: z.string().nullable().describe('As it was sent; null where none was'),
    custom_data: jsonObject.describe('As it was sent; `{}` where none was'),
    status: contactStatus.describe('`cancelled`: was waiting when the campaign was cancelled'),
    attempts: z.int().describe('Calls that were tried'),
    last_call_id: uuid.nullable().describe('The call of the last attempt; null before the first'),
    last_outcome: z
      .string()
      .nullable()
      .describe('The disconnection reason of the last attempt, `do_not_call`, or null'),
    next_attempt_at: isoMillis.nullable().describe('When it is tried again; null where no retry waits'),
  })
  .meta({ id: 'Contact', description: 'A contact with its outcome' });
