import { newId } from '@parley/kit/ids';
import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import { readCallConfig } from '../../assistants/call-config.ts';
import type { SnapshotArchive } from '../../assistants/snapshot-ports.ts';
import type { Entry } from '../../sessions/ports.ts';
import type { LiveRecordings } from './live-recordings.ts';
import type { Cue, Recorder, RecordingStore } from './ports.ts';
import type { DueRecording, RecordingQueue, StoredRecording } from './recording-queue.store.ts';

export type RecordDeps = {
  queue: RecordingQueue;
  archive: Pick<SnapshotArchive, 'read'>;
  readRecords: (callIds: readonly string[]) => Promise<Map<string, Entry[]>>;
  /** Of calls without audio. */
  recorder: Recorder;
  live: Pick<LiveRecordings, 'find' | 'remove'>;
  store: RecordingStore;
  clock: Clock;
  log: Log;
};

/** Maximum attempts; after these the call has no recording, since its analysis must not wait for a full disk. */
const MAX_ATTEMPTS = 5;
/** Stack time, doubling. */
const FIRST_RETRY_MS = 5_000;

/** Creates the recording of a call, and makes its analysis due. Never rejects. */
export async function recordCall(deps: RecordDeps, due: DueRecording, signal: AbortSignal): Promise<void> {
  const { queue, clock } = deps;
  const log = deps.log.child({ callId: due.call.id, workspaceId: due.call.workspaceId });
  try {
    // Each claim counts: a recording that kills its process reaches no `catch`.
    if (due.attempts > MAX_ATTEMPTS) {
      log.error({ attempts: due.attempts }, 'recording given up: no attempt finished');
      await queue.finish(due, null, clock.now());
      return;
    }
    const stored = await make(deps, due, signal);
    await queue.finish(due, stored, clock.now());
    await deps.live.remove(due.call.id);
    if (stored) log.info({ seconds: stored.seconds, bytes: stored.bytes }, 'recording stored');
  } catch (err) {
    // Another worker takes it over when this one has stopped.
    if (signal.aborted) return;
    const givesUp = due.attempts >= MAX_ATTEMPTS;
    log[givesUp ? 'error' : 'warn']({ err, attempts: due.attempts }, 'recording failed');
    const retryAt = new Date(clock.now().getTime() + FIRST_RETRY_MS * 2 ** (due.attempts - 1));
    await (givesUp ? queue.finish(due, null, clock.now()) : queue.postpone(due, retryAt)).catch(
      (error: unknown) => log.warn({ err: error }, 'recording stays claimed until its lease expires'),
    );
  }
}

async function make(
  { archive, readRecords, recorder, live, store }: RecordDeps,
  { call }: DueRecording,
  signal: AbortSignal,
): Promise<StoredRecording | null> {
  const { answeredAt, endedAt } = call.state;
  if (!answeredAt || !endedAt) return null;
  const snapshot = await archive.read(call.agentId, call.agentVersion);
  // Without its configuration, the call may not be recorded.
  if (!snapshot || !readCallConfig(snapshot.config).settings.recording.enabled) return null;
  const record = (await readRecords([call.id])).get(call.id) ?? [];
  const recording =
    (await live.find(call.id, cuesOf(record, answeredAt))) ??
    recorder.record({ callId: call.id, answeredAt, endedAt, record }, signal);
  const key = `${call.id}.wav`;
  const bytes = await store.put(key, recording.bytes);
  return { key, sid: `RE${newId().replaceAll('-', '')}`, seconds: recording.seconds, bytes };
}

function cuesOf(record: readonly Entry[], answeredAt: Date): Cue[] {
  return record.flatMap((entry) =>
    entry.role === 'tool'
      ? []
      : [
          {
            speaker: entry.role,
            atMs: Math.max(0, entry.at.getTime() - answeredAt.getTime()),
            text: entry.content,
          },
        ],
  );
}
