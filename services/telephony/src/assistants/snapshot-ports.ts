import type { AssistantSnapshot } from '@parley/contracts';

/** The versions of assistants that calls began with, so that whoever goes on with a call has the same one. */
export type SnapshotArchive = {
  keep(snapshot: AssistantSnapshot): Promise<void>;
  read(agentId: string, version: number): Promise<AssistantSnapshot | null>;
  /** Forgets what a newer version or the assistant's deletion had made needless by then: longer ago than a call and its analysis take. */
  forgetOld(unneededSince: Date): Promise<number>;
};
