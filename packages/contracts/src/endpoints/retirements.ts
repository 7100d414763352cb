import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { campaignStatus } from '../shapes/campaign.ts';
import { uuid } from '../shapes/primitives.ts';

const route = { access: 'internal', tag: 'Internal', envelope: 'data', status: 200 } as const;

const subject = { kind: z.enum(['assistant', 'phone_number']), id: uuid };
const receipt = z.string().regex(/^\d{1,18}$/);

/**
 * Called by the owner right before it deletes an assistant or a number [assistants.2] [numbers.10]. With `blocked_by: null` no
 * campaign is created on it for the next minute, so that a deletion and a creation cannot both succeed. The owner deletes it
 * within seconds, or calls again; if the deletion fails it lifts the retirement.
 */
export const retireFromCampaigns = defineEndpoint({
  ...route,
  service: 'campaigns',
  id: 'retireFromCampaigns',
  method: 'POST',
  path: '/internal/campaigns/retire',
  body: z.object(subject),
  response: z.object({
    /** For lifting it. Null while another deletion may depend on it: it then expires on its own. */
    receipt: receipt.nullable(),
    /** The oldest campaign of the workspace that is neither completed nor cancelled. */
    blocked_by: z.object({ campaign_id: uuid, campaign_name: z.string(), status: campaignStatus }).nullable(),
  }),
  errors: [],
  summary:
    'Block new campaigns on an assistant or number that is about to be deleted, unless an active one uses it',
});

/** Called by the owner after its deletion was rolled back. A retirement that was renewed in the meantime stays. */
export const liftRetirement = defineEndpoint({
  ...route,
  service: 'campaigns',
  id: 'liftRetirement',
  method: 'POST',
  path: '/internal/campaigns/retire/lift',
  body: z.object({ ...subject, receipt }),
  response: z.object({ lifted: z.boolean() }),
  errors: [],
  summary: 'Allow campaigns again on an assistant or number whose deletion failed',
});
