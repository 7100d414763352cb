import { monotonicMs } from '@parley/kit/time';

/** A segment that is being recorded here, and how much of it the bucket has. */
type ActiveSegment = {
  id: string;
  callId: string;
  copiedFrames: number;
  copiedAtMs: number;
  stop(): Promise<void>;
};

/**
 * What this process does with segments; the rest is in the database (`segments.store.ts`). A file is written while its segment is
 * `active`, then complete. It is not removed or moved while it is `inUse`.
 */
export type OwnSegments = {
  active: Map<string, ActiveSegment>;
  /** When segments were completed here. */
  completedAtMs: Map<string, number>;
  /** Being read for a recording. */
  inUse: Set<string>;
};

export const createOwnSegments = (): OwnSegments => ({
  active: new Map(),
  completedAtMs: new Map(),
  inUse: new Set(),
});

/** From now on its file doesn't change. */
export function complete({ active, completedAtMs }: OwnSegments, id: string): void {
  if (active.delete(id)) completedAtMs.set(id, monotonicMs());
}
