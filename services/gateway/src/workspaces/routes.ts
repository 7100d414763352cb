import type { BodyOf } from '@parley/contracts';
import * as contract from '@parley/contracts';
import { findSuspendedWorkspaces, getWorkspaceSettings } from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import { type App, mount } from '@parley/kit/http';
import type { Clock } from '@parley/kit/time';
import type { Config } from '../config.ts';
import { changerOf, type DashboardDeps } from '../sessions/dashboard.ts';
import { rotateWebhookSecret, setWorkspace, showWorkspace } from './administer.ts';
import type { WorkspaceSettings, WorkspaceStore } from './workspaces.store.ts';
import { signingSecrets } from './workspaces.store.ts';

/** `currency`: the operator's setting, the same for all workspaces. */
export function mountWorkspace(
  app: App,
  { workspaces: store, clock, currency }: DashboardDeps & { currency: string },
): void {
  mount(app, contract.getWorkspace, async ({ auth }) => ({
    ...(await showWorkspace({ store, clock }, auth.workspaceId)),
    currency,
  }));

  mount(app, contract.updateWorkspace, async ({ req, auth, body }) => {
    const { workspaceId, by } = changerOf(req, auth);
    return { ...(await setWorkspace({ store, clock }, workspaceId, settingsOf(body), by)), currency };
  });

  mount(app, contract.rotateWebhookSecret, async ({ req, auth, idempotency }) => {
    const { workspaceId, by } = changerOf(req, auth);
    const rotated = await rotateWebhookSecret({ store, clock }, workspaceId, by, idempotency);
    return { webhook_secret: rotated.webhook_secret, old_secret_expires_at: rotated.old_secret_expires_at };
  });
}

/** Missing fields stay unchanged. */
function settingsOf(body: BodyOf<typeof contract.updateWorkspace>): WorkspaceSettings {
  const given: { [name in keyof WorkspaceSettings]: WorkspaceSettings[name] | undefined } = {
    name: body.name,
    timeZone: body.time_zone,
    allowedDestinations: body.allowed_destinations,
    dailySpendLimitCents: body.daily_spend_limit_cents,
    retainCallsDays: body.retain_calls_days,
    retainRecordingsDays: body.retain_recordings_days,
    retainAttemptsDays: body.retain_attempts_days,
    retainContactsDays: body.retain_contacts_days,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

type Deps = { workspaces: WorkspaceStore; clock: Clock; config: Pick<Config, 'CURRENCY'> };

/** Settings for other services, on the internal port. */
export function mountWorkspaceSettings(app: App, { workspaces, clock, config }: Deps): void {
  mount(app, getWorkspaceSettings, async ({ params }) => {
    const workspace = await workspaces.find(params.id);
    if (!workspace) throw notFound('Workspace');
    return {
      workspace_id: workspace.id,
      time_zone: workspace.timeZone,
      currency: config.CURRENCY,
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
