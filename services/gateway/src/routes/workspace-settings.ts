import { getWorkspaceSettings } from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import { type App, mount } from '@parley/kit/http';
import type { Clock } from '@parley/kit/time';
import type { WorkspaceStore } from '../domain/workspaces/ports.ts';
import { signingSecrets } from '../domain/workspaces/workspace.ts';

type Deps = { workspaces: WorkspaceStore; clock: Clock };

/** What other services need of a workspace: on the internal port alone. */
export function mountWorkspaceSettings(app: App, { workspaces, clock }: Deps): void {
  mount(app, getWorkspaceSettings, async ({ params }) => {
    const workspace = await workspaces.find(params.id);
    if (!workspace) throw notFound('Workspace');
    return {
      workspace_id: workspace.id,
      rate_cents: workspace.rateCents,
      max_live_calls: workspace.maxLiveCalls,
      webhook_secrets: signingSecrets(workspace, clock),
    };
  });
}
