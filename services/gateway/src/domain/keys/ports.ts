import type { WorkspaceLimits } from '../limits/request-limits.ts';
import type { KeyType } from './key-format.ts';

/** What a request needs to know of its key. */
export type KnownKey = {
  id: string;
  workspaceId: string;
  type: KeyType;
  isActive: boolean;
  expiresAt: Date | null;
  limits: WorkspaceLimits;
};

export type KeyLookup = { findByHash(hash: string): Promise<KnownKey | undefined> };
