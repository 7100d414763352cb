import { monotonicMs } from '@parley/kit/time';
import { RecordingStoreError } from '../ports.ts';
import type { OwnSegments } from './own-segments.ts';
import { removeSegments } from './remove-segments.ts';
import type { SegmentCopies } from './segment-copies.ts';
import type { SegmentFiles } from './segment-files.ts';
import type { Segment, Segments } from './segments.store.ts';

export type MaintainOptions = {
  workerId: string;
  segments: Segments;
  files: SegmentFiles;
  /** Undefined: all workers share the folder. */
  copies?: SegmentCopies | undefined;
  /** Interval between copies, and so the maximum that is lost with a machine; 30 s by default. */
  copyEveryMs?: number;
};

const COPY_EVERY_MS = 30_000;
/** The worker of a call usually stores its recording sooner than this, from its own file. */
const COPY_COMPLETE_AFTER_MS = 60_000;

/**
 * Copies to the bucket what is only on this disk, and removes what is no longer needed. The parts are independent: files can be
 * removed while the bucket is down. Rejects with `RecordingStoreError` while it is.
 */
export async function maintainSegments(options: MaintainOptions, own: OwnSegments): Promise<void> {
  const errors: unknown[] = [];
  const parts = [
    () => copyActive(options, own),
    () => maintainFiles(options, own, COPY_COMPLETE_AFTER_MS),
    () => removeOwn(options, own),
  ];
  for (const part of parts) await part().catch((err: unknown) => errors.push(err));
  const [error] = errors.sort(
    (a, b) => Number(a instanceof RecordingStoreError) - Number(b instanceof RecordingStoreError),
  );
  if (error) throw error;
}

async function copyActive(options: MaintainOptions, { active }: OwnSegments): Promise<void> {
  const { files, copies, copyEveryMs = COPY_EVERY_MS } = options;
  if (!copies) return;
  for (const segment of active.values()) {
    if (monotonicMs() - segment.copiedAtMs < copyEveryMs) continue;
    const frames = await files.framesOf(segment.id);
    if (frames !== null) segment.copiedFrames = await copies.copy(segment, segment.copiedFrames, frames);
    segment.copiedAtMs = monotonicMs();
  }
}

/**
 * Handles files in this folder that are not being written, including those of dead workers: those of no segment, and of stored ones,
 * are removed, others are copied. The worker of a file has `copyAfterMs` to store the recording from it.
 */
export async function maintainFiles(
  options: MaintainOptions,
  own: OwnSegments,
  copyAfterMs: number,
): Promise<void> {
  const { workerId, segments, files, copies } = options;
  const { active, completedAtMs, inUse } = own;
  const ids = (await files.list()).filter((id) => !active.has(id));
  if (ids.length === 0) return;
  const known = new Map((await segments.find(ids)).map((segment) => [segment.id, segment]));
  for (const id of ids) {
    const segment = known.get(id);
    // A segment that starts now is registered before its file exists.
    if (!segment || (segment.stored && !inUse.has(id))) {
      if (!active.has(id)) await dropFile(options, own, id);
      continue;
    }
    if (!copies || segment.isRemovable || segment.stored || inUse.has(id)) continue;
    const isMine = segment.workerId === workerId;
    const isDue = isMine
      ? monotonicMs() - (completedAtMs.get(id) ?? Number.POSITIVE_INFINITY) >= copyAfterMs
      : !segment.isWorkerAlive;
    if (isDue) await copyWhole(options, copies, own, segment);
  }
}

async function copyWhole(
  options: MaintainOptions,
  copies: SegmentCopies,
  own: OwnSegments,
  segment: Segment,
): Promise<void> {
  const frames = await options.files.framesOf(segment.id);
  if (frames === null) return;
  await copies.copy(segment, await copies.framesOf(segment), frames);
  // A removable segment is removed with its copies.
  if (await options.segments.store(segment.id)) await dropFile(options, own, segment.id);
}

async function dropFile(
  { files }: MaintainOptions,
  { completedAtMs }: OwnSegments,
  id: string,
): Promise<void> {
  await files.remove(id);
  completedAtMs.delete(id);
}

const removeOwn = (options: MaintainOptions, { active, completedAtMs }: OwnSegments): Promise<void> =>
  removeSegments(options, options.workerId, async (id) => {
    await active.get(id)?.stop();
    completedAtMs.delete(id);
  });
