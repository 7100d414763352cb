import type { SegmentCopies } from './segment-copies.ts';
import type { SegmentFiles } from './segment-files.ts';
import type { Segments } from './segments.store.ts';

export type RemoveSegmentsDeps = {
  segments: Pick<Segments, 'removableBy' | 'forget'>;
  files: SegmentFiles;
  copies?: SegmentCopies | undefined;
};

/**
 * Removes files and copies of segments that are no longer needed, then their rows: those of `workerId`, stored ones, and those of dead
 * workers. Files of a dead worker on another disk lose their row: the next worker on that disk removes them.
 */
export async function removeSegments(
  { segments, files, copies }: RemoveSegmentsDeps,
  workerId: string | null,
  beforeRemoval: (id: string) => Promise<void> = async () => {},
): Promise<void> {
  for (const { id, callId } of await segments.removableBy(workerId)) {
    await beforeRemoval(id);
    await copies?.remove({ id, callId });
    await files.remove(id);
    await segments.forget([id]);
  }
}
