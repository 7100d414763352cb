import type { BodyOf } from '@parley/contracts';
import * as contract from '@parley/contracts';
import { findSuspendedWorkspaces, getWorkspaceSettings } from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import { type App, mount } from '@parley/kit/http';
import type { Clock } from '@parley/kit/time';
import { changerOf, type DashboardDeps } from '../sessions/dashboard.ts';
import { setWorkspace, showWorkspace } from './administer.ts';
import type { WorkspaceSettings, WorkspaceStore } from './workspaces.store.ts';
import { signingSecrets } from './workspaces.store.ts';

export function mountWorkspace(app: App, { workspaces: store, clock }: DashboardDeps): void {
  mount(app, contract.getWorkspace, ({ auth }) => showWorkspace({ store }, auth.workspaceId));

  mount(app, contract.updateWorkspace, ({ req, auth, body }) => {
    const { workspaceId, by } = changerOf(req, auth);
    return setWorkspace({ store, clock }, workspaceId, settingsOf(body), by);
  });
}

/** Missing fields stay unchanged. */
function settingsOf(body: BodyOf<typeof contract.updateWorkspace>): WorkspaceSettings {
  const given: { [name in keyof WorkspaceSettings]: WorkspaceSettings[name] | undefined } = {
    allowedDestinations: body.allowed_destinations,
    dailySpendLimitCents: body.daily_spend_limit_cents,
    retainCallsDays: body.retain_calls_days,
    retainRecordingsDays: body.retain_recordings_days,
    retainAttemptsDays: body.retain_attempts_days,
    retainContactsDays: body.retain_contacts_days,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

type Deps = { workspaces: WorkspaceStore; clock: Clock };

/** Settings for other services, on the internal port. */
export function mountWorkspaceSettings(app: App, { workspaces, clock }: Deps): void {
  mount(app, getWorkspaceSettings, async ({ params }) => {
    const workspace = await workspaces.find(params.id);
    if (!workspace) throw notFound('Workspace');
    return {
      workspace_id: workspace.id,
      rate_cents: workspace.rateCents,
      max_live_calls: workspace.maxLiveCalls,
      webhook_secrets: signingSecrets(workspace, clock),
      suspended: workspace.suspendedAt !== null || workspace.deletedAt !== null,
      allowed_destinations: [...workspace.allowedDestinations],
      daily_spend_limit_cents: workspace.dailySpendLimitCents,
    };
  });
  mount(app, findSuspendedWorkspaces, async ({ body }) => ({
    suspended: await workspaces.suspendedOf(body.workspace_ids),
  }));
}
