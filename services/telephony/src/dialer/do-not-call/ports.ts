import type { Clock } from '@parley/kit/time';
import type { Transact } from '../../clients/ports.ts';
import type { Tx } from '../../prisma.ts';

type UnwantedNumber = { phoneNumber: string; createdAt: Date };

/** The numbers that a workspace doesn't call [calls.3]. */
export type DoNotCallList = {
  holds(workspaceId: string, phoneNumber: string): Promise<boolean>;
  /** Returns how many were not on the list before. */
  add(tx: Tx, workspaceId: string, phoneNumbers: readonly string[], now: Date): Promise<number>;
  /** False: it was not on the list. */
  remove(tx: Tx, workspaceId: string, phoneNumber: string): Promise<boolean>;
  /** Newest first; `part`: only numbers that contain it. */
  page(
    workspaceId: string,
    slice: { limit: number; offset: number; part?: string | undefined },
  ): Promise<{ items: UnwantedNumber[]; total: number }>;
};

export type DoNotCallDeps = { doNotCall: DoNotCallList; transact: Transact; clock: Clock };
