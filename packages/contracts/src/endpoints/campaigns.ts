import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import {
  businessHours,
  campaign,
  campaignCreated,
  campaignStatus,
  contactInput,
} from '../shapes/campaign.ts';
import { explanation } from '../shapes/explanation.ts';
import { e164, idParams, isoInput, offsetPage, uuid } from '../shapes/primitives.ts';
import { skipDuplicates } from './contacts.ts';

const route = { service: 'campaigns', access: 'private', tag: 'Campaigns' } as const;
const one = { ...route, params: idParams, badIdCode: 'CAMPAIGN_NOT_FOUND' } as const;

/** The body of a creation without `contacts`, which are read from the stream. */
export const campaignCreation = z.object({
  campaign_name: z.string().trim().min(1).max(255).describe('Display name'),
  agent_id: uuid.describe('The assistant'),
  phone_number: e164.describe("The workspace's phone number to call from, E.164"),
  max_retries: z
    .int()
    .min(0)
    .max(10)
    .default(0)
    .describe('Retries per contact, after no answer, busy, voicemail or a transient failure'),
  retry_intervals: z
    .array(z.int().min(1).max(10_080))
    .min(1)
    .max(10)
    .optional()
    .describe(
      'Minutes from the end of an attempt to the next one, in order; the last value is used for all further retries. ' +
        'Default: 30 minutes',
    ),
  scheduled_at: isoInput
    .nullable()
    .optional()
    .describe('Future start time. If missing or null, the campaign is a `draft` until it is resumed'),
  business_hours: businessHours
    .nullable()
    .default(null)
    .describe('Hours in which it may dial; outside of them the campaign is `dormant`. Null: always'),
  skip_duplicates: skipDuplicates,
});
export type CampaignCreation = z.output<typeof campaignCreation>;

export const createCampaign = defineEndpoint({
  ...route,
  id: 'createCampaign',
  method: 'POST',
  path: '/v1/campaigns',
  body: 'stream',
  streamed: campaignCreation.extend({
    contacts: z.array(contactInput).min(1).describe('The contacts to call; no maximum'),
  }),
  status: 201,
  envelope: 'data',
  response: campaignCreated,
  errors: [
    'VALIDATION_FAILED',
    'AGENT_NOT_FOUND',
    'PHONE_NOT_FOUND',
    'CREATE_FAILED',
    'CONTACTS_INSERT_FAILED',
    'UNAUTHORIZED',
    'FORBIDDEN',
  ],
  idempotent: true,
  summary: 'Create a campaign with its contacts',
  description:
    'The body is streamed: there is no maximum number of contacts, and each may have up to 32 KiB of JSON. All ' +
    'contacts are stored, or none.',
  example: {
    campaign_name: 'Reminders',
    agent_id: '0197f3b2-5c1e-7d40-9a3b-2f6f1c0d8e11',
    phone_number: '+14155550123',
    contacts: [{ phone_number: '+14155550199', contact_name: 'Grace', custom_data: { day: 'Monday' } }],
    max_retries: 2,
    retry_intervals: [10, 60],
    business_hours: { tz: 'Europe/Berlin', days: [1, 2, 3, 4, 5], windows: [{ start: 540, end: 1020 }] },
  },
});

export const getCampaign = defineEndpoint({
  ...one,
  id: 'getCampaign',
  method: 'GET',
  path: '/v1/campaigns/:id',
  status: 200,
  envelope: 'data',
  response: campaign,
  errors: ['CAMPAIGN_NOT_FOUND', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'Get a campaign with its counters',
  description: 'The counters count contacts. A contact that still has a retry ahead is not completed.',
});

export const listCampaigns = defineEndpoint({
  ...route,
  id: 'listCampaigns',
  method: 'GET',
  path: '/v1/campaigns',
  query: z.object({
    ...offsetPage(),
    status: campaignStatus.optional().describe('Filter by status'),
    agent_id: uuid.optional().describe('Filter by assistant'),
    search: z.string().min(1).max(255).optional().describe('Case-insensitive substring of the name'),
  }),
  status: 200,
  envelope: 'list',
  response: campaign,
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'List campaigns, newest first',
  description: '`next_cursor` is the next offset; an offset past the end returns an empty list.',
});

export const explainCampaign = defineEndpoint({
  ...one,
  id: 'explainCampaign',
  method: 'GET',
  path: '/v1/campaigns/:id/explain',
  status: 200,
  envelope: 'data',
  response: explanation,
  errors: ['CAMPAIGN_NOT_FOUND', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'Explain why a campaign is not dialing',
  description:
    'The current state, business hours, pace, concurrency, carrier and circuit breaker, and what the contacts are ' +
    'waiting for. Consecutive dial failures of the carrier open the circuit of a number: campaigns then wait ' +
    'without using up attempts, one dial is tried after a growing delay, and the first success closes the circuit.',
});

const verb = <const V extends string>(name: V, summary: string, description: string) =>
  defineEndpoint({
    ...one,
    id: `${name}Campaign`,
    method: 'POST',
    path: `/v1/campaigns/:id/${name}`,
    status: 200,
    envelope: 'data',
    response: campaign,
    errors: ['CAMPAIGN_NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE', 'UNAUTHORIZED', 'FORBIDDEN'],
    summary,
    description,
  } as const);

export const resumeCampaign = verb(
  'resume',
  'Start or resume a campaign',
  'A draft or paused campaign becomes `running`, or `dormant` outside its business hours. A scheduled campaign ' +
    'starts immediately; one that was paused before its start time becomes `scheduled` again. `CONFLICT` if it is ' +
    'completed or cancelled.',
);
export const pauseCampaign = verb(
  'pause',
  'Pause a campaign',
  'No dial starts after the response; calls in progress continue. Contacts waiting to be dialed return to the ' +
    'campaign without using up an attempt. `CONFLICT` for a draft, and if it is completed or cancelled.',
);
export const cancelCampaign = verb(
  'cancel',
  'Cancel a campaign',
  'No dial starts after the response; calls in progress continue. Waiting contacts become `cancelled`. This is ' +
    'final. `CONFLICT` if the campaign is completed; cancelling twice succeeds.',
);
