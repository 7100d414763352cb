import { liftRetirement as liftEndpoint, retireFromCampaigns as retireEndpoint } from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import type { Retirements } from '../domain/ports.ts';
import { retireFromCampaigns } from '../domain/retire-from-campaigns.ts';

export function mountInternal(app: App, deps: { retirements: Retirements }): void {
  mount(app, retireEndpoint, ({ body, auth: { workspaceId } }) =>
    retireFromCampaigns(deps, { ...body, workspaceId }),
  );
  mount(app, liftEndpoint, async ({ body: { receipt, ...pillar }, auth: { workspaceId } }) => ({
    lifted: await deps.retirements.takeBack(workspaceId, pillar, receipt),
  }));
}
