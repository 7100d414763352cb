import { notFound } from '@parley/kit/errors';
import { type Idempotency, noIdempotency } from '@parley/kit/idempotency';
import { newId } from '@parley/kit/ids';
import { newWebhookSecret } from '@parley/kit/outbound';
import type { Clock } from '@parley/kit/time';
import { newKey } from '../keys/key-format.ts';
import type { Changer } from '../people/changes.ts';
import type { WorkspaceSettings, WorkspaceStore } from './workspaces.store.ts';

type Deps = { store: WorkspaceStore; clock: Clock };

/** How long a rotated secret also signs [webhooks.7]. */
const ROTATION_MS = 24 * 3_600_000;

/** `parley workspace create` [access.7]: only this output contains the keys and the secret. */
export async function createWorkspace(
  { store }: Deps,
  { name }: { name: string },
  by: Changer = { kind: 'operator' },
) {
  const workspace = { id: newId(), name, webhookSecret: newWebhookSecret() };
  const privateKey = newKey('private');
  const publicKey = newKey('public');
  const keys = [
    { name: 'Default private key', type: 'private', key: privateKey, expiresAt: null },
    { name: 'Default public key', type: 'public', key: publicKey, expiresAt: null },
  ] as const;
  await store.create(workspace, keys, by);
  return {
    workspace_id: workspace.id,
    name,
    private_key: privateKey,
    public_key: publicKey,
    webhook_secret: workspace.webhookSecret,
  };
}

/** `parley workspace set`: missing settings stay unchanged; null restores the default. */
export async function setWorkspace(
  deps: Deps,
  id: string,
  settings: WorkspaceSettings,
  by: Changer = { kind: 'operator' },
) {
  if (!(await deps.store.set(id, settings, by))) throw notFound('Workspace');
  return showWorkspace(deps, id);
}

/** `parley workspace show` and `GET /dashboard/api/workspace`. */
export async function showWorkspace({ store, clock }: Deps, id: string) {
  const workspace = await store.find(id);
  if (!workspace) throw notFound('Workspace');
  const old = workspace.oldWebhookSecret;
  return {
    workspace_id: id,
    name: workspace.name,
    time_zone: workspace.timeZone,
    created_at: workspace.createdAt.toISOString(),
    suspended_at: workspace.suspendedAt?.toISOString() ?? null,
    rate_cents: workspace.rateCents,
    requests_per_minute: workspace.requestsPerMinute,
    request_burst: workspace.requestBurst,
    calls_per_second: workspace.callsPerSecond,
    call_burst: workspace.callBurst,
    max_live_calls: workspace.maxLiveCalls,
    max_stored_mb: workspace.maxStoredMb,
    allowed_destinations: [...workspace.allowedDestinations],
    daily_spend_limit_cents: workspace.dailySpendLimitCents,
    retain_calls_days: workspace.retainCallsDays,
    retain_recordings_days: workspace.retainRecordingsDays,
    retain_attempts_days: workspace.retainAttemptsDays,
    retain_contacts_days: workspace.retainContactsDays,
    old_webhook_secret_expires_at: old && old.expiresAt > clock.now() ? old.expiresAt.toISOString() : null,
  };
}

/** `parley workspace list` */
export async function listWorkspaces({ store }: Pick<Deps, 'store'>) {
  return (await store.list()).map(({ id, name, createdAt, suspendedAt }) => ({
    workspace_id: id,
    name,
    created_at: createdAt.toISOString(),
    suspended_at: suspendedAt?.toISOString() ?? null,
  }));
}

/**
 * `parley workspace suspend` and `resume` [trust.24]: keys are rejected everywhere within a second, live calls end
 * within seconds.
 */
export async function setSuspended(
  deps: Deps,
  id: string,
  suspended: boolean,
  by: Changer = { kind: 'operator' },
) {
  if (!(await deps.store.setSuspended(id, suspended, by))) throw notFound('Workspace');
  const { workspace_id, name, suspended_at } = await showWorkspace(deps, id);
  return { workspace_id, name, suspended_at };
}

/** `parley workspace usage`: the largest first. */
export async function listUsage(
  { store }: Pick<Deps, 'store'>,
  { workspace, top }: { workspace?: string; top: number },
) {
  const found = await store.listStored(top, workspace);
  if (workspace && found.length === 0) throw notFound('Workspace');
  return found.map(({ id, name, storedMb, maxStoredMb }) => ({
    workspace_id: id,
    name,
    stored_mb: storedMb,
    max_stored_mb: maxStoredMb,
  }));
}

/**
 * `parley webhook-secret rotate` and `POST /dashboard/api/workspace/webhook-secret`: both sign for 24 hours. Of an earlier rotation that is
 * not over, the oldest secret stops signing.
 */
export async function rotateWebhookSecret(
  { store, clock }: Deps,
  id: string,
  by: Changer = { kind: 'operator' },
  idempotency: Idempotency = noIdempotency,
) {
  const secret = newWebhookSecret();
  const expiresAt = new Date(clock.now().getTime() + ROTATION_MS);
  const rotated = {
    workspace_id: id,
    webhook_secret: secret,
    old_secret_expires_at: expiresAt.toISOString(),
  };
  const answer = await store.rotateSecret(id, { secret, oldExpiresAt: expiresAt }, by, (tx) =>
    idempotency.answer(tx, rotated),
  );
  if (!answer) throw notFound('Workspace');
  return answer;
}
