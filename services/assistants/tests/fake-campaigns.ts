import { liftRetirement, retireFromCampaigns } from '@parley/contracts';
import { createApp, type InternalTokens, listen, mount } from '@parley/kit/http';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { createMetrics } from '@parley/kit/observability';
import { type FaultProxy, faultProxy } from '@parley/testkit';

export type FakeCampaigns = {
  /** A proxy in front of it: `cut()` makes it unreachable. */
  link: FaultProxy;
  /** Ids that a live campaign uses, and the response for each. */
  users: Map<string, { campaign_id: string; campaign_name: string; status: 'draft' | 'dormant' | 'paused' }>;
  /** The requests to retire an id, with their workspace. */
  retired: { workspaceId: string; kind: string; id: string }[];
  /** The requests to lift a retirement. */
  lifted: { workspaceId: string; kind: string; id: string; receipt: string }[];
};

type Deps = { internalTokens: InternalTokens; log: Log; lifecycle: Lifecycle };

/** A fake of the campaigns service. */
export async function fakeCampaigns({ internalTokens, log, lifecycle }: Deps): Promise<FakeCampaigns> {
  const users: FakeCampaigns['users'] = new Map();
  const retired: FakeCampaigns['retired'] = [];
  const lifted: FakeCampaigns['lifted'] = [];
  const metrics = createMetrics('campaigns');
  const app = createApp({ service: 'campaigns', log, metrics, internalTokens, readiness: async () => {} });
  mount(app, retireFromCampaigns, ({ auth, body }) => {
    retired.push({ workspaceId: auth.workspaceId, ...body });
    return { blocked_by: users.get(body.id) ?? null, receipt: '7' };
  });
  mount(app, liftRetirement, ({ auth, body }) => {
    lifted.push({ workspaceId: auth.workspaceId, ...body });
    return { lifted: true };
  });
  const { port } = await listen(app, { host: '127.0.0.1', port: 0 }, lifecycle);
  const link = await faultProxy(`http://127.0.0.1:${port}`);
  lifecycle.onStop('link to campaigns', () => link.close());
  return { link, users, retired, lifted };
}
