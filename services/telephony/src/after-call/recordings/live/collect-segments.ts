import type { Recording } from '../ports.ts';
import type { Piece } from './join-segments.ts';
import type { OwnSegments } from './own-segments.ts';
import type { SegmentCopies } from './segment-copies.ts';
import type { SegmentFiles } from './segment-files.ts';
import type { Segments } from './segments.store.ts';

type Deps = { segments: Segments; files: SegmentFiles; copies?: SegmentCopies | undefined };

/** The recorded audio of a call. */
type Collected = {
  recording: Recording;
  /** False: a part is on the disk of a worker that isn't reachable now. */
  isComplete: boolean;
  /** The files may be removed again. */
  release(): void;
};

/** Joins what each worker of a call recorded; null if it was never recorded. */
export async function collectSegments(
  { segments, files, copies }: Deps,
  { inUse }: OwnSegments,
  callId: string,
): Promise<Collected | null> {
  const found = await segments.ofCall(callId);
  const [first] = found;
  if (!first) return null;
  const { joinSegments } = await import('./join-segments.ts');
  const pieces: Piece[] = [];
  let isComplete = true;
  for (const segment of found) {
    const start = Math.round((segment.startMs * first.sampleRate) / 1_000);
    const onDisk = segment.stored ? null : await files.framesOf(segment.id);
    isComplete &&= segment.stored || onDisk !== null;
    if (onDisk !== null) {
      inUse.add(segment.id);
      pieces.push({ start, frames: onDisk, read: (end) => files.read(segment.id, 0, end) });
    } else if (copies) {
      const frames = await copies.framesOf(segment);
      pieces.push({ start, frames, read: (end) => copies.read(segment, end) });
    }
  }
  return {
    recording: joinSegments(pieces, first.sampleRate),
    isComplete,
    release: () => {
      for (const { id } of found) inUse.delete(id);
    },
  };
}
