import { liftRetirement, retireFromCampaigns } from '@parley/contracts';
import type { ServiceClient } from '@parley/kit/http';

export type Campaigns = ReturnType<typeof createCampaigns>;

export function createCampaigns(peer: ServiceClient) {
  return {
    /** Blocks new campaigns on the assistant for a minute, unless an active campaign (`blocker`) uses it. */
    retireAssistant: async (id: string, caller: { workspaceId: string; requestId: string }) => {
      const body = { kind: 'assistant' as const, id };
      const { blocked_by: blocker, receipt } = await peer.call(retireFromCampaigns, { body }, caller);
      return {
        blocker: blocker ? { name: blocker.campaign_name, status: blocker.status } : undefined,
        /** Allows campaigns again before the minute is over; never rejects. */
        lift: async (): Promise<void> => {
          if (receipt === null) return;
          await peer.call(liftRetirement, { body: { ...body, receipt } }, caller).catch(() => {});
        },
      };
    },
  };
}
