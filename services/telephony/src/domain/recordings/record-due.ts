import { newId } from '@parley/kit/ids';
import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import type { Entry } from '../calls/ports.ts';
import { readCallConfig } from '../conversation/call-config.ts';
import type { SnapshotArchive } from '../conversation/ports.ts';
import type { DueRecording, Recorder, RecordingQueue, RecordingStore, StoredRecording } from './ports.ts';

export type RecordDeps = {
  queue: RecordingQueue;
  archive: Pick<SnapshotArchive, 'read'>;
  readRecords: (callIds: readonly string[]) => Promise<Map<string, Entry[]>>;
  recorder: Recorder;
  store: RecordingStore;
  clock: Clock;
  log: Log;
};

/** Then the call goes without: its analysis must not wait for a disk that is full. */
const MOST_ATTEMPTS = 5;
/** Stack time, doubling. */
const FIRST_RETRY_MS = 5_000;

/** Makes the recording of one call, and lets its analysis begin. Never rejects. */
export async function recordCall(deps: RecordDeps, due: DueRecording, signal: AbortSignal): Promise<void> {
  const { queue, clock } = deps;
  const log = deps.log.child({ callId: due.call.id, workspaceId: due.call.workspaceId });
  try {
    // A claim counts, whatever became of it: a recording that kills its process gets to no `catch`.
    if (due.attempts > MOST_ATTEMPTS) {
      log.error({ attempts: due.attempts }, 'recording was given up: its attempts never came to an end');
      await queue.finish(due, null, clock.now());
      return;
    }
    const stored = await make(deps, due, signal);
    await queue.finish(due, stored, clock.now());
    if (stored) log.info({ seconds: stored.seconds, bytes: stored.bytes }, 'recording stored');
  } catch (err) {
    // Another worker goes on with it as soon as this one is gone.
    if (signal.aborted) return;
    const givesUp = due.attempts >= MOST_ATTEMPTS;
    log[givesUp ? 'error' : 'warn']({ err, attempts: due.attempts }, 'recording failed');
    const retryAt = new Date(clock.now().getTime() + FIRST_RETRY_MS * 2 ** (due.attempts - 1));
    await (givesUp ? queue.finish(due, null, clock.now()) : queue.postpone(due, retryAt)).catch(
      (error: unknown) => log.warn({ err: error }, 'recording stays claimed until its lease is over'),
    );
  }
}

async function make(
  { archive, readRecords, recorder, store }: RecordDeps,
  { call }: DueRecording,
  signal: AbortSignal,
): Promise<StoredRecording | null> {
  const { answeredAt, endedAt } = call.state;
  if (!answeredAt || !endedAt) return null;
  const snapshot = await archive.read(call.agentId, call.agentVersion);
  // Where nobody knows any more whether the call may be recorded it isn't.
  if (!snapshot || !readCallConfig(snapshot.config).settings.recording.enabled) return null;
  const record = (await readRecords([call.id])).get(call.id) ?? [];
  const recording = recorder.record({ callId: call.id, answeredAt, endedAt, record }, signal);
  const key = `${call.id}.wav`;
  const bytes = await store.put(key, recording.bytes);
  return { key, sid: `RE${newId().replaceAll('-', '')}`, seconds: recording.seconds, bytes };
}
