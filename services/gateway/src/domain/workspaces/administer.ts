import { notFound } from '@parley/kit/errors';
import { newId } from '@parley/kit/ids';
import { newWebhookSecret } from '@parley/kit/outbound';
import type { Clock } from '@parley/kit/time';
import { newKey } from '../keys/key-format.ts';
import type { WorkspaceStore } from './ports.ts';
import type { WorkspaceSettings } from './workspace.ts';

type Deps = { store: WorkspaceStore; clock: Clock };

/** How long a rotated secret signs along (D8.1). */
const ROTATION_MS = 24 * 3_600_000;

/** `parley workspace create` (D2.4): the only moment at which keys and secret are shown. */
export async function createWorkspace({ store }: Deps, { name }: { name: string }) {
  const workspace = { id: newId(), name, webhookSecret: newWebhookSecret() };
  const privateKey = newKey('private');
  const publicKey = newKey('public');
  await store.create(workspace, [
    { name: 'Default private key', type: 'private', key: privateKey, expiresAt: null },
    { name: 'Default public key', type: 'public', key: publicKey, expiresAt: null },
  ]);
  return {
    workspace_id: workspace.id,
    name,
    private_key: privateKey,
    public_key: publicKey,
    webhook_secret: workspace.webhookSecret,
  };
}

/** `parley workspace set`: what isn't given stays; null is what holds for all. */
export async function setWorkspace({ store }: Deps, id: string, settings: WorkspaceSettings) {
  if (!(await store.set(id, settings))) throw notFound('Workspace');
  const workspace = await store.find(id);
  if (!workspace) throw notFound('Workspace');
  return {
    workspace_id: id,
    name: workspace.name,
    rate_cents: workspace.rateCents,
    requests_per_minute: workspace.requestsPerMinute,
    request_burst: workspace.requestBurst,
    calls_per_second: workspace.callsPerSecond,
    call_burst: workspace.callBurst,
    max_live_calls: workspace.maxLiveCalls,
  };
}

/** `parley webhook-secret rotate`: both sign for 24 hours. */
export async function rotateWebhookSecret({ store, clock }: Deps, id: string) {
  const secret = newWebhookSecret();
  const expiresAt = new Date(clock.now().getTime() + ROTATION_MS);
  if (!(await store.rotateSecret(id, secret, expiresAt))) throw notFound('Workspace');
  return { workspace_id: id, webhook_secret: secret, old_secret_expires_at: expiresAt.toISOString() };
}
