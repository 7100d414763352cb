import { retireFromCampaigns } from '@parley/contracts';
import type { Peer } from '@parley/kit/http';
import type { CampaignRetirement } from '../domain/ports.ts';

export function createCampaignRetirement(campaigns: Peer): CampaignRetirement {
  return {
    retireNumber: async (workspaceId, id, requestId) => {
      const body = { kind: 'phone_number' as const, id };
      const { blocked_by: campaign } = await campaigns.call(
        retireFromCampaigns,
        { body },
        { workspaceId, requestId },
      );
      return campaign && { name: campaign.campaign_name, status: campaign.status };
    },
  };
}
