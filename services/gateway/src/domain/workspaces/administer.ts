import { conflict, notFound } from '@parley/kit/errors';
import { newId } from '@parley/kit/ids';
import { newWebhookSecret } from '@parley/kit/outbound';
import type { Clock } from '@parley/kit/time';
import { type KeyType, newKey } from '../keys/key-format.ts';
import type { ListedKey, Role, WorkspaceStore } from './ports.ts';
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

/** `parley workspace set`: what isn't given stays. */
export async function setWorkspace({ store }: Deps, id: string, settings: WorkspaceSettings) {
  if (!(await store.set(id, settings))) throw notFound('Workspace');
  const workspace = await store.find(id);
  if (!workspace) throw notFound('Workspace');
  return {
    workspace_id: id,
    name: workspace.name,
    rate_cents: workspace.rateCents,
    requests_per_minute: workspace.requestsPerMinute,
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

export type KeyInput = { workspaceId: string; type: KeyType; name: string; expiresAt: Date | null };

/** `parley key create`: the key is shown once. */
export async function createKey({ store, clock }: Deps, { workspaceId, ...input }: KeyInput) {
  if (input.expiresAt && input.expiresAt <= clock.now()) throw conflict('A key must expire in the future');
  if (!(await store.find(workspaceId))) throw notFound('Workspace');
  const key = newKey(input.type);
  const { id } = await store.addKey(workspaceId, { ...input, key });
  return { id, key };
}

/** `parley key list`: never the keys themselves. */
export async function listKeys({ store }: Deps, workspaceId: string) {
  if (!(await store.find(workspaceId))) throw notFound('Workspace');
  return (await store.listKeys(workspaceId)).map(shown);
}

/** `parley key revoke`: refused everywhere within a second (D2.2). */
export async function revokeKey({ store }: Deps, id: string) {
  if (!(await store.revokeKey(id))) throw notFound('Key');
  return { id, is_active: false };
}

/** `parley member add`. */
export async function addMember({ store }: Deps, workspaceId: string, email: string, role: Role) {
  if (!(await store.find(workspaceId))) throw notFound('Workspace');
  const { id } = await store.putMember(workspaceId, email.toLowerCase(), role);
  return { id, workspace_id: workspaceId, email: email.toLowerCase(), role };
}

function shown(key: ListedKey) {
  return {
    id: key.id,
    name: key.name,
    type: key.type,
    prefix: key.prefix,
    is_active: key.isActive,
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    created_at: key.createdAt.toISOString(),
  };
}
