import { notFound, validationFailed } from '@parley/kit/errors';
import type { Idempotency } from '@parley/kit/idempotency';
import type { Clock } from '@parley/kit/time';
import { type KeyType, newKey, PREFIX } from '../keys/key-format.ts';
import { type Page, toListAnswer } from '../page.ts';
import type { Changer } from '../people/changer.ts';
import type { ListedKey, WorkspaceStore } from './ports.ts';

type Deps = { store: WorkspaceStore; clock: Clock };

export type KeyInput = { workspaceId: string; type: KeyType; name: string; expiresAt: Date | null };

/** D2.1: the key is in this answer and nowhere else. */
export async function createKey(
  { store, clock }: Deps,
  { workspaceId, ...input }: KeyInput,
  by: Changer,
  idempotency: Idempotency,
) {
  if (input.expiresAt && input.expiresAt <= clock.now()) {
    const message = 'expires_at must be in the future';
    throw validationFailed([{ path: 'expires_at', code: 'too_small', message }]);
  }
  if (!(await store.find(workspaceId))) throw notFound('Workspace');
  const key = newKey(input.type);
  return store.addKey(workspaceId, { ...input, key }, by, (tx, listed) =>
    idempotency.answer(tx, { ...shownKey(listed), key }),
  );
}

/** All of them, newest first, and never the keys themselves. */
export async function listAllKeys({ store }: Pick<Deps, 'store'>, workspaceId: string) {
  if (!(await store.find(workspaceId))) throw notFound('Workspace');
  return (await store.listKeys(workspaceId)).items.map(shownKey);
}

export async function listKeys({ store }: Pick<Deps, 'store'>, workspaceId: string, page: Page) {
  const { items, total } = await store.listKeys(workspaceId, page);
  return toListAnswer(page, { items: items.map(shownKey), total });
}

/** Refused everywhere within a second (D2.2). */
export async function revokeKey(
  { store }: Pick<Deps, 'store'>,
  { id, by, workspaceId }: { id: string; by: Changer; workspaceId?: string },
) {
  const key = await store.revokeKey(id, by, workspaceId);
  if (!key) throw notFound('Key');
  return shownKey(key);
}

function shownKey(key: ListedKey) {
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
  };
}
