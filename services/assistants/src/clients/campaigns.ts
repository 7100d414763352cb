import { liftRetirement, retireFromCampaigns } from '@parley/contracts';
import type { Peer } from '@parley/kit/http';
import type { Campaigns } from '../domain/assistants/ports.ts';

export function createCampaigns(peer: Peer): Campaigns {
  return {
    retireAssistant: async (id, asker) => {
      const body = { kind: 'assistant' as const, id };
      const { blocked_by: blocker, receipt } = await peer.call(retireFromCampaigns, { body }, asker);
      return {
        blocker: blocker ? { name: blocker.campaign_name, status: blocker.status } : undefined,
        lift: async () => {
          if (receipt === null) return;
          await peer.call(liftRetirement, { body: { ...body, receipt } }, asker).catch(() => {});
        },
      };
    },
  };
}
