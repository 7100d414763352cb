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
  campaign_name: z.string().trim().min(1).max(255),
  agent_id: uuid,
  phone_number: e164,
  max_retries: z.int().min(0).max(10).default(0),
  retry_intervals: z
    .array(z.int().min(1).max(10_080))
    .min(1)
    .max(10)
    .optional()
    .describe('Minutes; counted from the end of the attempt'),
  scheduled_at: isoInput.nullable().optional(),
  business_hours: businessHours.nullable().default(null),
  skip_duplicates: skipDuplicates,
});
export type CampaignCreation = z.output<typeof campaignCreation>;

export const createCampaign = defineEndpoint({
  ...route,
  id: 'createCampaign',
  method: 'POST',
  path: '/v1/campaigns',
  body: 'stream',
  streamed: campaignCreation.extend({ contacts: z.array(contactInput).min(1) }),
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
});

export const listCampaigns = defineEndpoint({
  ...route,
  id: 'listCampaigns',
  method: 'GET',
  path: '/v1/campaigns',
  query: z.object({
    limit: queryInt(1, 100, 50),
    offset: queryInt(0, 2_147_483_647, 0),
    status: campaignStatus.optional(),
    agent_id: uuid.optional(),
    search: z.string().min(1).max(255).optional(),
  }),
  status: 200,
  envelope: 'list',
  response: campaignListItem,
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'List campaigns, newest first',
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

const verb = <const V extends string>(name: V, summary: string) =>
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
  } as const);

export const resumeCampaign = verb('resume', 'Start or resume dialling');
export const pauseCampaign = verb('pause', 'Stop dialling; calls that are up go on');
export const cancelCampaign = verb('cancel', 'End a campaign for good; calls that are up go on');
