import { retireFromCampaigns } from '@parley/contracts';
import type { Peer } from '@parley/kit/http';
import type { Campaigns } from '../domain/assistants/ports.ts';

export function createCampaigns(peer: Peer): Campaigns {
  return {
    retireAssistant: async (id, asker) => {
      const { blocked_by: blocker } = await peer.call(
        retireFromCampaigns,
        { body: { kind: 'assistant', id } },
        asker,
      );
      return blocker ? { name: blocker.campaign_name, status: blocker.status } : undefined;
    },
  };
}
