import { newId } from '@parley/kit/ids';
import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import { readCallConfig } from '../../assistants/call-config.ts';
import type { SnapshotArchive } from '../../assistants/snapshot-ports.ts';
import type { Call } from '../../sessions/call.ts';
import type { Entry } from '../../sessions/ports.ts';
import type { LiveRecordings } from './live/live-recordings.ts';
import { type Recorder, type RecordingStore, RecordingStoreError } from './ports.ts';
import type { DueRecording, RecordingQueue, StoredRecording } from './recording-queue.store.ts';
import type { RecordingShare } from './recording-share.ts';

export type RecordDeps = {
  queue: RecordingQueue;
  archive: Pick<SnapshotArchive, 'read'>;
  readRecords: (callIds: readonly string[]) => Promise<Map<string, Entry[]>>;
  /** For calls without audio. */
  recorder: Recorder;
  /** Whether the call's carrier has audio. */
  hasAudio: (call: Call) => boolean;
  live: Pick<LiveRecordings, 'collect'>;
  store: RecordingStore;
  share: RecordingShare;
  /** A call has no recording because the workspace has used up its share. */
  onOmitted: () => void;
  clock: Clock;
  log: Log;
};

/** Maximum attempts; then the call has no recording, so that its analysis is not blocked forever. */
const MAX_ATTEMPTS = 5;
/** Delays double; stack time. */
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 5 * 60_000;
/** After this many waits the analysis no longer waits for the store. */
const WAITS_BEFORE_ANNOUNCING = 4;
/** A dead worker's disk may come back within this time after the call; then its part of the recording is silence. */
const DISK_TIMEOUT_MS = 10 * 60_000;
const DISK_RETRY_MS = 5_000;

/** A part of the recording is on the disk of a worker that doesn't run. */
class DiskMissing extends Error {}

/** Creates the recording of a call, and makes its analysis due. Never rejects. */
export async function recordCall(deps: RecordDeps, due: DueRecording, signal: AbortSignal): Promise<void> {
  const { queue, clock } = deps;
  const log = deps.log.child({ callId: due.call.id, workspaceId: due.call.workspaceId });
  const failures = due.attempts - due.waits;
  try {
    // Each claim counts: a recording that kills its process reaches no `catch`.
    if (failures > MAX_ATTEMPTS) {
      log.error({ attempts: due.attempts }, 'recording abandoned: no attempt finished');
      return await finishWithout(deps, due);
    }
    const stored = await make({ ...deps, log }, due, signal);
    if (!stored) return await finishWithout(deps, due);
    const isSaved = await queue.finish(due, stored, clock.now());
    if (isSaved) log.info({ seconds: stored.seconds, bytes: stored.bytes }, 'recording stored');
    // Erased meanwhile. Otherwise a later claim saves the recording, and this one has no effect.
    else if (!(await queue.isWanted(due.call.id))) await deps.store.remove(stored.key);
  } catch (err) {
    // Another worker takes it over when this one has stopped.
    if (signal.aborted) return;
    await (isWait(err) ? wait(deps, due, err) : fail(deps, due, { err, failures })).catch((error: unknown) =>
      log.warn({ err: error }, 'recording stays claimed until its lease expires'),
    );
  }
}

/** Ends the job without a recording. An earlier claim may have stored a file. */
async function finishWithout({ queue, store, clock }: RecordDeps, due: DueRecording): Promise<void> {
  const isSaved = await queue.finish(due, null, clock.now());
  if (isSaved && due.attempts > 1) await store.remove(keyOf(due.call));
}

const isWait = (err: unknown): boolean => err instanceof RecordingStoreError || err instanceof DiskMissing;

/** Waits without a limit: the recorded segments remain in place. */
async function wait({ queue, clock, log }: RecordDeps, due: DueRecording, err: unknown): Promise<void> {
  const now = clock.now();
  const isDisk = err instanceof DiskMissing;
  log.warn({ err, callId: due.call.id, waits: due.waits }, 'recording waits');
  if (!isDisk && due.waits >= WAITS_BEFORE_ANNOUNCING && due.sid === null)
    await queue.announce(due, keyOf(due.call), newSid(), now);
  const delayMs = isDisk
    ? DISK_RETRY_MS
    : Math.min(FIRST_RETRY_MS * 2 ** Math.min(due.waits, 16), MAX_RETRY_MS);
  await queue.postpone(due, new Date(now.getTime() + delayMs), { waited: true });
}

async function fail(
  deps: RecordDeps,
  due: DueRecording,
  { err, failures }: { err: unknown; failures: number },
): Promise<void> {
  const { queue, clock, log } = deps;
  const givesUp = failures >= MAX_ATTEMPTS;
  log[givesUp ? 'error' : 'warn']({ err, callId: due.call.id, failures }, 'recording failed');
  const retryAt = new Date(clock.now().getTime() + FIRST_RETRY_MS * 2 ** (failures - 1));
  if (givesUp) await finishWithout(deps, due);
  else await queue.postpone(due, retryAt, { waited: false });
}

const keyOf = (call: Call): string => `${call.id}.wav`;
const newSid = (): string => `RE${newId().replaceAll('-', '')}`;

async function make(
  deps: RecordDeps,
  due: DueRecording,
  signal: AbortSignal,
): Promise<StoredRecording | null> {
  const { archive, readRecords, recorder, hasAudio, live, store, share, clock, log } = deps;
  const { call } = due;
  const { answeredAt, endedAt } = call.state;
  if (!answeredAt || !endedAt) return null;
  const snapshot = await archive.read(call.agentId, call.agentVersion);
  // Without its configuration, the call may not be recorded.
  if (!snapshot || !readCallConfig(snapshot.config).settings.recording.enabled) return null;
  const key = keyOf(call);
  const stored = ({ seconds, length: bytes }: { seconds: number; length: number }): StoredRecording => ({
    key,
    sid: due.sid ?? newSid(),
    seconds,
    bytes,
  });
  const collected = await live.collect(call.id);
  try {
    if (collected) {
      const isLate = clock.now().getTime() - endedAt.getTime() > DISK_TIMEOUT_MS;
      if (!collected.isComplete && !isLate)
        throw new DiskMissing('a part of the recording is on the disk of a worker that does not run');
      if (!collected.isComplete) log.error('a part of the recording is lost with the disk of its worker');
      if (collected.recording.seconds === 0) return null;
      await store.put(key, collected.recording, signal);
      return stored(collected.recording);
    }
  } finally {
    collected?.release();
  }
  if (share.isUsedUp(call.workspaceId)) {
    deps.onOmitted();
    log.warn('no recording: the workspace has used up its share of the recordings');
    return null;
  }
  if (hasAudio(call)) {
    if (share.isLimited)
      log.warn('the call with audio has no recording: the share of its workspace was probably used up');
    else log.error('the call with audio has no recording');
    return null;
  }
  const record = (await readRecords([call.id])).get(call.id) ?? [];
  const recording = recorder.record({ callId: call.id, answeredAt, endedAt, record }, signal);
  await store.put(key, recording, signal);
  return stored(recording);
}
