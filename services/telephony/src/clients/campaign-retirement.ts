import { liftRetirement, retireFromCampaigns } from '@parley/contracts';
import type { ServiceClient } from '@parley/kit/http';
import type { CampaignRetirement } from './ports.ts';

export function createCampaignRetirement(campaigns: ServiceClient): CampaignRetirement {
  return {
    retireNumber: async (workspaceId, id, requestId) => {
      const body = { kind: 'phone_number' as const, id };
      const caller = { workspaceId, requestId };
      const { blocked_by: campaign, receipt } = await campaigns.call(retireFromCampaigns, { body }, caller);
      return {
        campaign: campaign && { name: campaign.campaign_name, status: campaign.status },
        lift: async () => {
          if (receipt === null) return;
          await campaigns.call(liftRetirement, { body: { ...body, receipt } }, caller).catch(() => {});
        },
      };
    },
  };
}
