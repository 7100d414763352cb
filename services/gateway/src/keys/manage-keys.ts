import type { SomeKeySettings } from '@parley/contracts';
import { conflict, notFound, validationFailed } from '@parley/kit/errors';
import { toOffsetPage } from '@parley/kit/http';
import type { Idempotency } from '@parley/kit/idempotency';
import type { Clock } from '@parley/kit/time';
import type { Page } from '../page.ts';
import type { Changer } from '../people/changes.ts';
import type { WorkspaceStore } from '../workspaces/workspaces.store.ts';
import { type CheckSettingsDeps, checkSettings } from './check-settings.ts';
import { type KeyType, newKey, PREFIX } from './key-format.ts';
import { type PublicKeyDefaults, settingsOf } from './key-settings.ts';
import type { KeyChange, ListedKey } from './keys.store.ts';

type Deps = CheckSettingsDeps & { store: WorkspaceStore; clock: Clock; keyDefaults: PublicKeyDefaults };
type ReadDeps = Pick<Deps, 'store' | 'keyDefaults'>;

export type KeyInput = {
  workspaceId: string;
  type: KeyType;
  name: string;
  expiresAt: Date | null;
  settings?: SomeKeySettings;
};

/** Only this response contains the key itself [access.3]. */
export async function createKey(
  deps: Deps,
  { workspaceId, ...input }: KeyInput,
  by: Changer,
  idempotency: Idempotency,
) {
  const { store, clock } = deps;
  if (input.expiresAt && input.expiresAt <= clock.now()) {
    const message = 'expires_at must be in the future';
    throw validationFailed([{ path: 'expires_at', code: 'too_small', message }]);
  }
  if (!(await store.find(workspaceId))) throw notFound('Workspace');
  await checkSettings(deps, { workspaceId, type: input.type }, input.settings ?? {});
  const key = newKey(input.type);
  return store.addKey(workspaceId, { ...input, key }, by, (tx, listed) =>
    idempotency.answer(tx, { ...shownKey(deps, listed), key }),
  );
}

/** Newest first, without the keys themselves. */
export async function listAllKeys(deps: ReadDeps, workspaceId: string) {
  if (!(await deps.store.find(workspaceId))) throw notFound('Workspace');
  return (await deps.store.listKeys(workspaceId)).items.map((key) => shownKey(deps, key));
}

export async function listKeys(deps: ReadDeps, workspaceId: string, page: Page) {
  const { items, total } = await deps.store.listKeys(workspaceId, page);
  return toOffsetPage(page, { items: items.map((key) => shownKey(deps, key)), total });
}

export async function getKey(deps: ReadDeps, id: string, workspaceId: string) {
  const key = await deps.store.findKey(id, workspaceId);
  if (!key) throw notFound('Key');
  return shownKey(deps, key);
}

/** Missing settings stay unchanged; effective everywhere within a second [trust.10]. */
export async function changeKey(
  deps: Deps,
  { id, by, workspaceId, ...change }: KeyChange & { id: string; by: Changer; workspaceId?: string },
) {
  const found = await deps.store.findKey(id, workspaceId);
  if (!found) throw notFound('Key');
  await checkSettings(deps, found, change.settings);
  const changed = await deps.store.changeKey(id, found.workspaceId, change, by);
  if (!changed) throw conflict('The key has been revoked');
  return shownKey(deps, changed);
}

/** Rejected everywhere within a second [access.4]. */
export async function revokeKey(
  deps: ReadDeps,
  { id, by, workspaceId }: { id: string; by: Changer; workspaceId?: string },
) {
  const key = await deps.store.revokeKey(id, by, workspaceId);
  if (!key) throw notFound('Key');
  return shownKey(deps, key);
}

function shownKey({ keyDefaults }: Pick<Deps, 'keyDefaults'>, key: ListedKey) {
  return {
    id: key.id,
    name: key.name,
    type: key.type,
    prefix: key.prefix,
    masked_key: `${PREFIX[key.type]}${key.prefix}…`,
    is_active: key.isActive,
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    created_at: key.createdAt.toISOString(),
    created_by: key.createdBy,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    revoked_by: key.revokedBy,
    ...settingsOf(key.type, key.settings, keyDefaults),
  };
}
