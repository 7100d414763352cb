import type { AssistantSnapshot } from '@parley/contracts';

/** The versions of assistants that calls began with, for workers that take a call over. */
export type SnapshotArchive = {
  keep(snapshot: AssistantSnapshot): Promise<void>;
  read(agentId: string, version: number): Promise<AssistantSnapshot | null>;
  /** Deletes snapshots that were superseded or whose assistant was deleted before this time: longer ago than a call and its analysis take. */
  forgetOld(unneededSince: Date): Promise<number>;
};
