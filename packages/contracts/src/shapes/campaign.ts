import { z } from 'zod';
import { e164, isoMillis, jsonObject, smallJsonObject, timeZone, uuid } from './primitives.ts';

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
  .describe('Minutes since local midnight, 0-1440; `start` must be before `end`');

/** For reading: this machine may not know a zone that was valid when it was stored. */
export const storedBusinessHours = z.object({
  tz: z.string().describe('IANA time zone'),
  days: z.array(z.int().min(1).max(7)).min(1).describe('ISO weekdays: 1 is Monday, 7 is Sunday'),
  windows: z
    .array(
      z.object({ start: minute, end: minute }).refine((w) => w.start < w.end, {
        error: 'must end after it starts; split it at midnight',
        path: ['end'],
      }),
    )
    .min(1)
    .describe('Time windows on those days; split a window at midnight'),
});

/** The windows are evaluated at every dial. */
const MAX_WINDOWS = 100;

/** When a campaign may dial: ISO days (1 = Monday) and minutes since local midnight [campaigns.9]. */
export const businessHours = storedBusinessHours.extend({
  days: storedBusinessHours.shape.days.max(7),
  windows: storedBusinessHours.shape.windows.max(MAX_WINDOWS),
  tz: timeZone,
});
export type BusinessHours = z.output<typeof businessHours>;

/** A call's variables are limited to 16 KiB, and `contact_name` is one of them [trust.2]. */
const CUSTOM_DATA_BYTES = 15 * 1024;

/** Request element of `contacts`. */
export const contactInput = z.object({
  phone_number: e164.describe('Number to call, E.164'),
  contact_name: z.string().max(255).optional().describe('Value for `{{contact_name}}`'),
  custom_data: smallJsonObject(CUSTOM_DATA_BYTES)
    .optional()
    .describe('Values for the `{{placeholders}}` of the same names; at most 15 KiB as JSON'),
});
export type ContactInput = z.output<typeof contactInput>;

/**
 * A campaign, alone or in a list [campaigns.14] [campaigns.15]. `phone_number` is null once the number is deleted [numbers.10].
 */
export const campaign = z
  .object({
    campaign_id: uuid.describe('Id of the campaign'),
    campaign_name: z.string().describe('Display name'),
    agent_id: uuid.describe('The assistant'),
    phone_number: z.string().nullable().describe('The number it calls from; null if it was deleted'),
    status: campaignStatus.describe('`dormant`: running, but outside its business hours'),
    total_contacts: z.int().describe('Number of contacts'),
    completed_calls: z.int().describe('Contacts with a final outcome: successful and failed ones'),
    successful_calls: z.int().describe('Contacts that were reached'),
    failed_calls: z.int().describe('Contacts without a successful call after all attempts'),
    started_at: isoMillis
      .nullable()
      .describe('Time at which it first ran; null before, including while it has only been dormant'),
    business_hours: storedBusinessHours.nullable().describe('Hours in which it may dial; null: always'),
    completed_at: isoMillis.nullable().describe('Time at which it was completed or cancelled; null before'),
    scheduled_at: isoMillis.nullable().describe('Scheduled start time; null if it starts when resumed'),
    created_at: isoMillis.describe('Time of creation'),
    updated_at: isoMillis.describe('Time of the last change'),
  })
  .meta({ id: 'Campaign', description: 'A campaign with its counters' });

/** The response of `POST /v1/campaigns` [campaigns.1]. */
export const campaignCreated = campaign.pick({
  campaign_id: true,
  campaign_name: true,
  status: true,
  total_contacts: true,
  business_hours: true,
  scheduled_at: true,
  created_at: true,
});

const CONTACT_STATUSES = [
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

/** Contact with its outcome [campaigns.16]. */
export const contact = z
  .object({
    id: uuid.describe('Id of the contact'),
    phone_number: z.string().describe('E.164, as sent'),
    contact_name: z.string().nullable().describe('As sent; null if missing'),
    custom_data: jsonObject.describe('As sent; `{}` if missing'),
    status: contactStatus.describe('`cancelled`: was waiting when the campaign was cancelled'),
    attempts: z.int().describe('Number of attempts'),
    last_call_id: uuid.nullable().describe('Call of the last attempt; null before the first'),
    last_outcome: z
      .string()
      .nullable()
      .describe(
        'Outcome of the last attempt: a disconnection reason, `do_not_call`, `destination_not_allowed` while that ' +
          'keeps the contact waiting, or `erased` if the person was erased while it waited; null before the first attempt',
      ),
    next_attempt_at: isoMillis.nullable().describe('Time of the next retry; null if none is scheduled'),
  })
  .meta({ id: 'Contact', description: 'A contact with its outcome' });
