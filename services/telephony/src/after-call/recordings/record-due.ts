import { retry } from '@parley/kit/concurrency';
import { isConnectivityError } from '@parley/kit/errors';
import { newId } from '@parley/kit/ids';
import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import { readCallConfig } from '../../assistants/call-config.ts';
import type { SnapshotArchive } from '../../assistants/snapshot-ports.ts';
import type { Call } from '../../sessions/call.ts';
import type { Lease } from '../../sessions/lease.ts';
import type { Entry } from '../../sessions/ports.ts';
import type { LiveRecordings } from './live/live-recordings.ts';
import { type Recorder, type Recording, type RecordingStore, RecordingStoreError } from './ports.ts';
import { keyOf } from './recording-keys.ts';
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
  watchLease: Lease['watch'];
  /** A call has no recording because the workspace has used up its share. */
  onOmitted: () => void;
  clock: Clock;
  log: Log;
};

export type ClaimedRecording = DueRecording & {
  /** False: for other workers this one was dead since its claim. Another one may have claimed the recording, or the call be removed. */
  isHeld: () => boolean;
};

/** Maximum attempts; then the call has no recording, so that its analysis is not blocked forever. */
const MAX_ATTEMPTS = 5;
/** Delays double; stack time. */
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 5 * 60_000;
/** After this many waits the analysis no longer waits for the store. */
const WAITS_BEFORE_ANNOUNCING = 4;
/** After this many waits, more than half an hour of them for the store, a person must act: an erasure may wait for the recording [trust.19]. */
const WAITS_BEFORE_ERROR = 12;
/** A dead worker's disk may come back within this time after the call; then its part of the recording is silence. */
const DISK_TIMEOUT_MS = 10 * 60_000;
const DISK_RETRY_MS = 5_000;
const LEASE_RETRY_MS = 500;

/** A part of the recording is on the disk of a worker that doesn't run. */
class DiskMissing extends Error {}

/** While this worker was dead for others, the claim has become void. */
class ClaimLost extends Error {}

/** For other workers this one is dead. */
class LeaseInterrupted extends Error {}

type Put = (recording: Recording) => Promise<StoredRecording>;

/**
 * Creates the recording of a call, and makes its analysis due. Every claim stores a file of its own, which becomes the recording when the job
 * ends; a claim that ends otherwise removes it. Never rejects.
 */
export async function recordCall(
  given: RecordDeps,
  due: ClaimedRecording,
  signal: AbortSignal,
): Promise<void> {
  const log = given.log.child({ callId: due.call.id, workspaceId: due.call.workspaceId });
  const deps = { ...given, log };
  const { queue, store, clock } = deps;
  let mayExist = false;
  let mayBeSaved = false;
  const put: Put = async (recording) => {
    mayExist = true;
    const key = keyOf(due);
    const { seconds, length } = recording;
    const bytes = endHeld(recording, () => requireClaim(deps, due, signal));
    await store.put(key, { length, bytes }, signal);
    return { key, sid: newSid(), seconds, bytes: length };
  };
  let failure: unknown;
  try {
    if (due.attempts > 1) await removeFormer(store, due.call.id);
    const stored = await make(deps, due, { put, signal });
    mayBeSaved = true;
    if (await queue.finish(due, stored, clock.now())) {
      if (stored) log.info({ seconds: stored.seconds, bytes: stored.bytes }, 'recording stored');
      return;
    }
  } catch (err) {
    failure = err;
  }
  const { claim, isRemoved } = mayExist
    ? await removeUnsaved(deps, due, { mayBeSaved })
    : { claim: due, isRemoved: true };
  // Another worker takes it over when this one has stopped.
  if (signal.aborted) return;
  let end = () => queue.release(claim);
  if (failure !== undefined)
    end = isWait(failure) || !isRemoved ? wait(deps, claim, failure) : fail(deps, claim, failure);
  await retry(end, { signal, isRetryable: isConnectivityError }).catch((err: unknown) =>
    log.warn({ err }, 'recording stays claimed until its lease expires'),
  );
}

/**
 * Removes what killed claims have left, which may contain words that were erased since. The job is the only trace of these files, so that a
 * failure, whatever its reason, is a wait for the store: the job does not end before the files are removed. After four waits the call is
 * announced, so that its analysis waits no longer; after twelve, errors are logged.
 */
async function removeFormer(store: RecordingStore, callId: string): Promise<void> {
  try {
    await store.removeAll(callId);
  } catch (err) {
    throw err instanceof RecordingStoreError ? err : new RecordingStoreError(err);
  }
}

/** The bytes, of which the last ones wait for `requireHeld`. A store keeps nothing of a recording without them. */
async function* endHeld({ length, bytes }: Recording, requireHeld: () => Promise<void>): Recording['bytes'] {
  let sent = 0;
  for await (const chunk of bytes) {
    sent += chunk.length;
    if (sent >= length) await requireHeld();
    yield chunk;
  }
}

/**
 * Rejects if the claim is void. If the heartbeat of this worker was late, the database shows whether another worker has taken the claim. While
 * the database is unavailable this waits: an outage does not cost the upload.
 */
async function requireClaim(
  { queue, watchLease }: RecordDeps,
  due: ClaimedRecording,
  signal: AbortSignal,
): Promise<void> {
  if (due.isHeld()) return;
  const check = async (): Promise<void> => {
    // Watched from before the query on: if the lease is held afterwards, no other worker has taken the claim meanwhile.
    const isHeld = watchLease();
    if (!(await queue.isClaimed(due))) throw new ClaimLost('the heartbeat of this worker was late');
    if (!isHeld()) throw new LeaseInterrupted('the heartbeat of this worker is late');
  };
  const isRetryable = (err: unknown) => err instanceof LeaseInterrupted || isConnectivityError(err);
  await retry(check, { signal, isRetryable, delayMs: () => LEASE_RETRY_MS });
}

/**
 * Removes what this claim has stored, unless it is the recording of the call by now. `mayBeSaved`: the response of `finish` may be lost.
 * `isRemoved` false: the file may remain. If the claim is not void, the next one removes it.
 */
async function removeUnsaved(
  { queue, store, log }: RecordDeps,
  due: DueRecording,
  { mayBeSaved }: { mayBeSaved: boolean },
): Promise<{ claim: DueRecording; isRemoved: boolean }> {
  let claim = due;
  try {
    if (mayBeSaved) claim = await queue.voidClaim(due);
    const isSaved = mayBeSaved && (await queue.isSaved(due.call.id, keyOf(due)));
    if (!isSaved) await store.remove(keyOf(due));
    return { claim, isRemoved: true };
  } catch (err) {
    log.warn({ err }, 'the file of a recording that was not saved may remain');
    return { claim, isRemoved: false };
  }
}

const failuresOf = ({ attempts, waits }: DueRecording): number => attempts - waits;

const isWait = (err: unknown): boolean =>
  err instanceof RecordingStoreError || err instanceof DiskMissing || err instanceof ClaimLost;

/** Waits without a limit: the recorded segments remain in place. */
function wait({ queue, clock, log }: RecordDeps, due: DueRecording, err: unknown): () => Promise<void> {
  const now = clock.now();
  const { waits, erased } = due;
  const isOfStore = err instanceof RecordingStoreError;
  log[isOfStore && waits >= WAITS_BEFORE_ERROR ? 'error' : 'warn']({ err, waits, erased }, 'recording waits');
  const delayMs =
    err instanceof DiskMissing
      ? DISK_RETRY_MS
      : Math.min(FIRST_RETRY_MS * 2 ** Math.min(waits, 16), MAX_RETRY_MS);
  return async () => {
    if (isOfStore && waits >= WAITS_BEFORE_ANNOUNCING) await queue.announce(due, keyOf(due), newSid(), now);
    await queue.postpone(due, new Date(now.getTime() + delayMs), { waited: true });
  };
}

function fail({ queue, clock, log }: RecordDeps, due: DueRecording, err: unknown): () => Promise<void> {
  const failures = failuresOf(due);
  const givesUp = failures >= MAX_ATTEMPTS;
  const now = clock.now();
  log[givesUp ? 'error' : 'warn']({ err, failures }, 'recording failed');
  const retryAt = new Date(now.getTime() + FIRST_RETRY_MS * 2 ** (failures - 1));
  return async () => {
    if (!givesUp) await queue.postpone(due, retryAt, { waited: false });
    else if (!(await queue.finish(due, null, now))) await queue.release(due);
  };
}

const newSid = (): string => `RE${newId().replaceAll('-', '')}`;

async function make(
  deps: RecordDeps,
  due: DueRecording,
  { put, signal }: { put: Put; signal: AbortSignal },
): Promise<StoredRecording | null> {
  const { archive, readRecords, recorder, hasAudio, live, share, clock, log } = deps;
  const { call, attempts, erased } = due;
  // Each claim counts: a recording that kills its process reaches no `catch`.
  if (failuresOf(due) > MAX_ATTEMPTS) {
    log.error({ attempts }, 'recording abandoned: no attempt finished');
    return null;
  }
  const { answeredAt, endedAt } = call.state;
  if (!answeredAt || !endedAt) return null;
  const snapshot = await archive.read(call.agentId, call.agentVersion);
  // Without its configuration, the call may not be recorded.
  if (!snapshot || !readCallConfig(snapshot.config).settings.recording.enabled) return null;
  const collected = await live.collect(call.id);
  try {
    if (collected) {
      const isLate = clock.now().getTime() - endedAt.getTime() > DISK_TIMEOUT_MS;
      if (!collected.isComplete && !isLate)
        throw new DiskMissing('a part of the recording is on the disk of a worker that does not run');
      if (!collected.isComplete) log.error('a part of the recording is lost with the disk of its worker');
      if (collected.recording.seconds === 0) return null;
      return await put(collected.recording);
    }
  } finally {
    collected?.release();
  }
  // Recorded audio is erased as a whole.
  if (erased && hasAudio(call)) return null;
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
  return put(recorder.record({ callId: call.id, answeredAt, endedAt, record }, signal));
}
