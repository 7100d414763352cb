import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { campaignStatus } from '../shapes/campaign.ts';
import { uuid } from '../shapes/primitives.ts';

const route = { access: 'internal', tag: 'Internal', envelope: 'data', status: 200 } as const;

const pillar = { kind: z.enum(['assistant', 'phone_number']), id: uuid };
const receipt = z.string().regex(/^\d{1,18}$/);

/**
 * Asked by the owner right before it deletes an assistant or a number (D3.1, D5.4). With `blocked_by: null` no campaign
 * on it is created for the next minute, so that a deletion and a creation can't both win: the owner must delete within
 * 15 seconds of the answer, or ask again. If it doesn't delete after all, campaigns are created again after that minute,
 * or as soon as it has lifted the retirement.
 */
export const retireFromCampaigns = defineEndpoint({
  ...route,
  service: 'campaigns',
  id: 'retireFromCampaigns',
  method: 'POST',
  path: '/internal/campaigns/retire',
  body: z.object(pillar),
  response: z.object({
    /** Lifts it again. Null while another deletion of the same may count on it too: then it lasts for its minute. */
    receipt: receipt.nullable(),
    /** A campaign of the workspace that is neither completed nor cancelled; the oldest one. */
    blocked_by: z.object({ campaign_id: uuid, campaign_name: z.string(), status: campaignStatus }).nullable(),
  }),
  errors: [],
  summary: 'Keep campaigns off an assistant or a number that is about to be deleted, unless one is on it',
});

/** Asked by the owner whose deletion was surely rolled back; a retirement that was renewed meanwhile stays. */
export const liftRetirement = defineEndpoint({
  ...route,
  service: 'campaigns',
  id: 'liftRetirement',
  method: 'POST',
  path: '/internal/campaigns/retire/lift',
  body: z.object({ ...pillar, receipt }),
  response: z.object({ lifted: z.boolean() }),
  errors: [],
  summary: 'Let campaigns on an assistant or a number again that is not deleted after all',
});
