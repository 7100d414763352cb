import type { Sql } from '@parley/kit/db';
import type { KeyType } from '../keys/key-format.ts';
import type { Page, Paged } from '../page.ts';
import type { Changer } from '../people/changer.ts';
import type { Workspace, WorkspaceSettings } from './workspace.ts';

export type NewKey = { name: string; type: KeyType; key: string; expiresAt: Date | null };

export type ListedKey = {
  id: string;
  name: string;
  type: KeyType;
  prefix: string;
  isActive: boolean;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  createdAt: Date;
  createdBy: string | null;
  revokedAt: Date | null;
  revokedBy: string | null;
};

/** Changes throw `FORBIDDEN` for who is no admin or owner at that moment. */
export type WorkspaceKeys = {
  /** `finish` runs in the transaction that stores the key, and gives the answer. */
  addKey<T>(
    workspaceId: string,
    key: NewKey,
    by: Changer,
    finish: (tx: Sql, key: ListedKey) => Promise<T>,
  ): Promise<T>;
  /** Newest first; all of them without a page. */
  listKeys(workspaceId: string, page?: Page): Promise<Paged<ListedKey>>;
  /** Undefined: there is no such key, in this workspace where one is named. Revoking twice changes nothing. */
  revokeKey(id: string, by: Changer, workspaceId?: string): Promise<ListedKey | undefined>;
};

/** What the operator's command and the settings endpoint need of the store. */
export type WorkspaceStore = WorkspaceKeys & {
  /** The workspace and its first keys, all or nothing. */
  create(
    workspace: { id: string; name: string; webhookSecret: string },
    keys: readonly NewKey[],
  ): Promise<void>;
  find(id: string): Promise<Workspace | undefined>;
  /** False: there is no such workspace. */
  set(id: string, settings: WorkspaceSettings): Promise<boolean>;
  rotateSecret(id: string, secret: string, oldExpiresAt: Date): Promise<boolean>;
};
