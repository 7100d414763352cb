import type { KeyType } from '../keys/key-format.ts';
import type { Workspace, WorkspaceSettings } from './workspace.ts';

export const ROLES = ['owner', 'admin', 'developer', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

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
};

/** What the operator's command and the settings endpoint need of the store. */
export type WorkspaceStore = {
  /** The workspace and its first keys, all or nothing. */
  create(
    workspace: { id: string; name: string; webhookSecret: string },
    keys: readonly NewKey[],
  ): Promise<void>;
  find(id: string): Promise<Workspace | undefined>;
  /** False: there is no such workspace. */
  set(id: string, settings: WorkspaceSettings): Promise<boolean>;
  rotateSecret(id: string, secret: string, oldExpiresAt: Date): Promise<boolean>;
  addKey(workspaceId: string, key: NewKey): Promise<{ id: string }>;
  listKeys(workspaceId: string): Promise<ListedKey[]>;
  /** False: there is no such key. Revoking twice is fine. */
  revokeKey(id: string): Promise<boolean>;
  /** Adds the member, or changes the role of the one with this e-mail. */
  putMember(workspaceId: string, email: string, role: Role): Promise<{ id: string }>;
};
