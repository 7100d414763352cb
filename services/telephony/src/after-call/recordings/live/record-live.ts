import { retry } from '@parley/kit/concurrency';
import { newId } from '@parley/kit/ids';
import type { Log } from '@parley/kit/log';
import { monotonicMs } from '@parley/kit/time';
import type { MediaSession } from '@parley/media';
import { mediaClock } from '../../../speech/media-clock.ts';
import type { RecordingShare } from '../recording-share.ts';
import { createEarlyFrames } from './early-frames.ts';
import { complete, type OwnSegments } from './own-segments.ts';
import type { SegmentFiles } from './segment-files.ts';
import type { Segments } from './segments.store.ts';

/** The recording of a call in this worker. */
export type LiveRecording = {
  /** What is said while it is paused is silence in the recording [calls.28]. */
  pause(on: boolean): void;
  stop(): Promise<void>;
};

export type RecordLiveOptions = {
  workerId: string;
  segments: Segments;
  files: SegmentFiles;
  maxSeconds: number;
  share: RecordingShare;
  log: Log;
  /** Maximum of the audio that all calls hold while their recorders are opened. */
  maxEarlyBytes?: number | undefined;
  /** So much of what was said until a recorder was open, or its opening failed, is missing in the recording. */
  onLost?: (ms: number) => void;
};

export type RecordLive = (
  call: { id: string; workspaceId: string },
  session: MediaSession,
  options: {
    sinceAnswerMs: number;
    /** Read when the recording begins. */
    isPaused: () => boolean;
    signal: AbortSignal;
  },
) => Promise<LiveRecording>;

const NOTHING: LiveRecording = { pause: () => {}, stop: async () => {} };
/** The file begins this much before the media, so that frames that arrive late have a place. */
const START_EARLIER_MS = 400;

/** Records a session, as a segment of its call, until it is stopped. Never rejects: without a recording the call continues. */
export function createRecordLive(options: RecordLiveOptions, own: OwnSegments): RecordLive {
  const { workerId, segments, files, maxSeconds, share, log } = options;
  const holdEarlyFrames = createEarlyFrames(options.maxEarlyBytes);

  const failed = (err: unknown, callId: string): void =>
    log.error({ err, callId }, 'the recording of a live call failed');
  const reportLost = (callId: string, lostMs: number, why: string): void => {
    if (lostMs === 0) return;
    log.warn({ callId, lostMs }, `${why}: audio is missing in the recording`);
    options.onLost?.(lostMs);
  };

  return async (call, session, { sinceAnswerMs, isPaused, signal }) => {
    const callId = call.id;
    // The media's clock may have drifted from that of the answer.
    const startedAtMs = mediaClock.nowMs() - sinceAnswerMs;
    const startMs = Math.max(0, Math.round(sinceAnswerMs) - START_EARLIER_MS);
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
      const begin = () => segments.begin({ ...segment, sampleRate: session.sampleRate });
      // Before its file exists: `maintainSegments` removes the files of unknown segments.
      const sampleRate = await retry(begin, { signal });
      const recorder = await createRecorder({
        sampleRate,
        path: await files.prepare(id),
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
        complete(own, id);
      };
      own.active.set(id, { id, callId, copiedFrames: 0, copiedAtMs: monotonicMs(), stop });
      return { pause: recorder.pause, stop };
    } catch (err) {
      early.drop();
      reportLost(callId, early.lostMs, 'a recorder was not opened');
      if (!signal.aborted) failed(err, callId);
      return NOTHING;
    }
  };
}
