import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import {
  businessHours,
  campaign,
  campaignCreated,
  campaignListItem,
  campaignStatus,
  contactInput,
} from '../shapes/campaign.ts';
import { explanation } from '../shapes/explanation.ts';
import { e164, idParams, isoInput, queryInt, uuid } from '../shapes/primitives.ts';
import { skipDuplicates } from './contacts.ts';

const route = { service: 'campaigns', access: 'private', tag: 'Campaigns' } as const;
const one = { ...route, params: idParams, badIdCode: 'CAMPAIGN_NOT_FOUND' } as const;

/** What stands beside `contacts` in the body of a creation; the contacts are read from the stream. */
export const campaignCreation = z.object({
  campaign_name: z.string().trim().min(1).max(255).describe('For people'),
  agent_id: uuid.describe('The assistant that talks'),
  phone_number: e164.describe('The number of the workspace that it dials from'),
  max_retries: z
    .int()
    .min(0)
    .max(10)
    .default(0)
    .describe(
      'Attempts after the first per contact: after no answer, busy, voicemail or a transient failure',
    ),
  retry_intervals: z
    .array(z.int().min(1).max(10_080))
    .min(1)
    .max(10)
    .optional()
    .describe('Minutes; counted from the end of the attempt'),
  scheduled_at: isoInput
    .nullable()
    .optional()
    .describe(
      'In the future; the campaign then starts by itself. Left out or null: it is a `draft` until it is resumed',
    ),
  business_hours: businessHours
    .nullable()
    .default(null)
    .describe('When it may dial; outside of it the campaign is `dormant`. Null: always'),
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
    contacts: z.array(contactInput).min(1).describe('Whom to call; no upper limit'),
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
    'The body is read as a stream: there is no upper limit on contacts, and each may be 32 KiB of JSON. All or nothing.',
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
  summary: 'Read one campaign with its counters',
  description: 'Counters are of contacts: one that is still to be retried is not completed.',
});

export const listCampaigns = defineEndpoint({
  ...route,
  id: 'listCampaigns',
  method: 'GET',
  path: '/v1/campaigns',
  query: z.object({
    limit: queryInt(1, 100, 50).describe('Items at once'),
    offset: queryInt(0, 2_147_483_647, 0).describe('How many to skip: `next_cursor` of the last page'),
    status: campaignStatus.optional().describe('Only campaigns in this state'),
    agent_id: uuid.optional().describe('Only campaigns of this assistant'),
    search: z.string().min(1).max(255).optional().describe('Case-insensitive part of the name'),
  }),
  status: 200,
  envelope: 'list',
  response: campaignListItem,
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'List campaigns, newest first',
  description: '`next_cursor` is the next offset. An offset past the end gives an empty list.',
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
  summary: 'Why nothing is being dialled now',
  description:
    'State, hours, pace, concurrency, carrier and circuit as they are at this moment, and what the contacts wait for. ' +
    'The carrier failing many dials of a number in a row opens its circuit: campaigns then wait, and no attempt is used ' +
    'up; after a growing pause one is tried, and the first that reaches anybody closes it.',
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
  'Start or resume dialling',
  'A draft or paused campaign runs, or is `dormant` outside its hours; a scheduled one starts now, and one that was paused before its time is scheduled again. 409 once it is over.',
);
export const pauseCampaign = verb(
  'pause',
  'Stop dialling; calls that are up go on',
  'No dial starts after the answer. What waited for the carrier waits for the campaign again, and no attempt is used up. 409 for a draft and once it is over.',
);
export const cancelCampaign = verb(
  'cancel',
  'End a campaign for good; calls that are up go on',
  'No dial starts after the answer. Contacts that waited read `cancelled`. 409 once it is completed; cancelling twice is no error.',
);
