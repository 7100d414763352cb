import type { KeyType } from './key-format.ts';

/** What a request needs to know of its key. */
export type KnownKey = {
  id: string;
  workspaceId: string;
  type: KeyType;
  isActive: boolean;
  expiresAt: Date | null;
  /** The workspace's limit (D1.6). */
  requestsPerMinute: number;
};

export type KeyLookup = { findByHash(hash: string): Promise<KnownKey | undefined> };

export type KeyUse = { markUsed(ids: readonly string[], at: Date): Promise<void> };
