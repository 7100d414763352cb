import { retry } from '@parley/kit/concurrency';
import { newId } from '@parley/kit/ids';
import type { Log } from '@parley/kit/log';
import { monotonicMs } from '@parley/kit/time';
import type { MediaSession } from '@parley/media';
import { mediaClock } from '../../../speech/media-clock.ts';
import { type Recording, RecordingStoreError } from '../ports.ts';
import type { RecordingShare } from '../recording-share.ts';
import { createEarlyFrames } from './early-frames.ts';
import type { Piece } from './join-segments.ts';
import { removeSegments } from './remove-segments.ts';
import type { SegmentCopies } from './segment-copies.ts';
import type { SegmentFiles } from './segment-files.ts';
import type { Segment, Segments } from './segments.store.ts';

/** The recording of a call in this worker. */
export type LiveRecording = {
  /** What is said while it is paused is silence in the recording [calls.28]. */
  pause(on: boolean): void;
  stop(): Promise<void>;
};

/** The recorded audio of a call; null if it was never recorded. */
type Collected = {
  recording: Recording;
  /** False: a part is on the disk of a worker that isn't reachable now. */
  isComplete: boolean;
  /** The files may be moved again. */
  release(): void;
};

/** Recordings of calls with audio, made while they run [calls.19]. */
export type LiveRecordings = {
  /** Records the session until it is stopped. Never rejects: without a recording the call continues. */
  start(
    call: { id: string; workspaceId: string },
    session: MediaSession,
    options: {
      sinceAnswerMs: number;
      /** Read when the recording begins. */
      isPaused: () => boolean;
      signal: AbortSignal;
    },
  ): Promise<LiveRecording>;
  collect(callId: string): Promise<Collected | null>;
  /**
   * Copies to the bucket what is only on this disk, and removes what is no longer needed. Rejects with
   * `RecordingStoreError` while the bucket is down.
   */
  maintain(): Promise<void>;
  /** Marks segments without a call for removal. */
  sweep(): Promise<void>;
  /** Copies everything now, because the process stops. */
  drain(): Promise<void>;
};

type Options = {
  workerId: string;
  segments: Segments;
  files: SegmentFiles;
  /** Undefined: all workers share the folder. */
  copies?: SegmentCopies | undefined;
  maxSeconds: number;
  share: RecordingShare;
  log: Log;
  /** Maximum of the audio that all calls hold while their recorders are opened. */
  maxEarlyBytes?: number | undefined;
  /** So much of what was said until a recorder was open, or its opening failed, is missing in the recording. */
  onLost?: (ms: number) => void;
  /** Interval between copies, and so the maximum that is lost with a machine; 30 s by default. */
  copyEveryMs?: number;
};

const COPY_EVERY_MS = 30_000;
/** The worker of a call usually stores its recording sooner than this, from its own file. */
const COPY_CLOSED_AFTER_MS = 60_000;
const NOTHING: LiveRecording = { pause: () => {}, stop: async () => {} };
/** Tolerance for frames that arrive after their due time. */
const LEAD_MS = 400;

type Active = { copiedFrames: number; copiedAtMs: number; callId: string; id: string; stop(): Promise<void> };

export function createLiveRecordings(options: Options): LiveRecordings {
  const { workerId, segments, files, copies, maxSeconds, share, log, copyEveryMs = COPY_EVERY_MS } = options;
  const active = new Map<string, Active>();
  /** Segments of this worker with complete files, and when they were completed. */
  const closed = new Map<string, number>();
  const inUse = new Set<string>();
  const holdEarlyFrames = createEarlyFrames(options.maxEarlyBytes);
  const failed = (err: unknown, callId: string): void =>
    log.error({ err, callId }, 'the recording of a live call failed');
  const reportLost = (callId: string, lostMs: number, why: string): void => {
    if (lostMs === 0) return;
    log.warn({ callId, lostMs }, `${why}: audio is missing in the recording`);
    options.onLost?.(lostMs);
  };

  const start: LiveRecordings['start'] = async (call, session, { sinceAnswerMs, isPaused, signal }) => {
    const callId = call.id;
    // The media's clock may have drifted from that of the answer.
    const startedAtMs = mediaClock.nowMs() - sinceAnswerMs;
    const startMs = Math.max(0, Math.round(sinceAnswerMs) - LEAD_MS);
    const id = newId();
    const early = holdEarlyFrames(session, isPaused);
    try {
      // A recording that has begun continues in another worker.
      if (share.isUsedUp(call.workspaceId) && (await segments.ofCall(callId)).length === 0) {
        early.drop();
        return NOTHING;
      }
      const { createRecorder, recordSession } = await import('@parley/media');
      const segment = { id, callId, workspaceId: call.workspaceId, workerId, startMs };
      const sampleRate = await retry(() => segments.begin({ ...segment, sampleRate: session.sampleRate }), {
        signal,
      });
      const recorder = await createRecorder({
        path: await files.prepare(id),
        sampleRate,
        startedAtMs,
        fromMs: startMs,
        maxDurationMs: maxSeconds * 1_000,
        onError: (err) => failed(err, callId),
      });
      early.replay(recorder);
      reportLost(callId, early.lostMs, 'a recorder was opened late');
      recorder.pause(isPaused());
      const stopListening = recordSession(recorder, session);
      const stop = async (): Promise<void> => {
        stopListening();
        await recorder.close().catch((err: unknown) => failed(err, callId));
        if (active.delete(id)) closed.set(id, monotonicMs());
      };
      active.set(id, { id, callId, copiedFrames: 0, copiedAtMs: monotonicMs(), stop });
      return { pause: recorder.pause, stop };
    } catch (err) {
      early.drop();
      reportLost(callId, early.lostMs, 'a recorder was not opened');
      if (!signal.aborted) failed(err, callId);
      return NOTHING;
    }
  };

  const copyLive = async (target: SegmentCopies): Promise<void> => {
    for (const segment of active.values()) {
      if (monotonicMs() - segment.copiedAtMs < copyEveryMs) continue;
      const frames = await files.framesOf(segment.id);
      if (frames !== null) segment.copiedFrames = await target.copy(segment, segment.copiedFrames, frames);
      segment.copiedAtMs = monotonicMs();
    }
  };

  const copyWhole = async (target: SegmentCopies, segment: Segment): Promise<void> => {
    const frames = await files.framesOf(segment.id);
    if (frames === null) return;
    await target.copy(segment, await target.framesOf(segment), frames);
    // A removable segment is removed with its copies.
    if (await segments.store(segment.id)) await dropFile(segment.id);
  };

  const dropFile = async (id: string): Promise<void> => {
    await files.remove(id);
    closed.delete(id);
  };

  /** Handles files in this folder that are not being written, including those of dead workers. */
  const maintainFiles = async (copyAfterMs: number): Promise<void> => {
    const ids = (await files.list()).filter((id) => !active.has(id));
    if (ids.length === 0) return;
    const known = new Map((await segments.find(ids)).map((segment) => [segment.id, segment]));
    for (const id of ids) {
      const segment = known.get(id);
      // A segment that starts now is registered before its file exists.
      if (!segment || (segment.stored && !inUse.has(id))) {
        if (!active.has(id)) await dropFile(id);
        continue;
      }
      if (!copies || segment.isRemovable || segment.stored || inUse.has(id)) continue;
      const isMine = segment.workerId === workerId;
      const isDue = isMine
        ? monotonicMs() - (closed.get(id) ?? Number.POSITIVE_INFINITY) >= copyAfterMs
        : !segment.isWorkerAlive;
      if (isDue) await copyWhole(copies, segment);
    }
  };

  const removeOwnSegments = (): Promise<void> =>
    removeSegments({ segments, files, copies }, workerId, async (id) => {
      await active.get(id)?.stop();
      closed.delete(id);
    });

  /** The parts are independent: files can be removed while the bucket is down. */
  const maintain = async (): Promise<void> => {
    const errors: unknown[] = [];
    for (const part of [
      () => (copies ? copyLive(copies) : Promise.resolve()),
      () => maintainFiles(COPY_CLOSED_AFTER_MS),
      removeOwnSegments,
    ])
      await part().catch((err: unknown) => errors.push(err));
    const [error] = errors.sort(
      (a, b) => Number(a instanceof RecordingStoreError) - Number(b instanceof RecordingStoreError),
    );
    if (error) throw error;
  };

  return {
    start,
    collect: async (callId) => {
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
    },
    maintain,
    sweep: async () => {
      await segments.markAbandoned();
    },
    drain: async () => {
      if (!copies) return;
      for (const segment of active.values()) await segment.stop();
      await maintainFiles(0).catch((err: unknown) =>
        log.warn({ err }, 'recordings of live calls stay on this disk'),
      );
    },
  };
}
