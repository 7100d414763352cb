import { liftRetirement as liftEndpoint, retireFromCampaigns as retireEndpoint } from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import type { RetirementStore } from './retirements.store.ts';

type Deps = { retirements: Pick<RetirementStore, 'retire' | 'lift'> };

/** Called by the owner of an assistant or a number around its deletion [campaigns.8]. */
export function mountRetirements(app: App, { retirements }: Deps): void {
  mount(app, retireEndpoint, async ({ body, auth: { workspaceId } }) => {
    const { live, receipt } = await retirements.retire(workspaceId, body);
    const blockedBy = live && { campaign_id: live.id, campaign_name: live.name, status: live.status };
    return { receipt, blocked_by: blockedBy ?? null };
  });
  mount(app, liftEndpoint, async ({ body: { receipt, ...dependency }, auth: { workspaceId } }) => ({
    lifted: await retirements.lift(workspaceId, dependency, receipt),
  }));
}
