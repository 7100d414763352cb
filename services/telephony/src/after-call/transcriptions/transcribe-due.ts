import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import { readCallConfig } from '../../assistants/call-config.ts';
import type { SnapshotArchive } from '../../assistants/snapshot-ports.ts';
import { toTurns } from '../../calls/transcripts/transcribed-turns.ts';
import type { TranscriptFixes } from '../../calls/transcripts/transcript-fixes.store.ts';
import type { FindHearing } from '../../speech/find-speech.ts';
import { phrasesOf } from '../../speech/phrases-of.ts';
import { retryAfterMs } from '../analysis/analyze-due.ts';
import type { RecordingStore } from '../recordings/ports.ts';
import type { DueTranscription, TranscriptionQueue } from './transcription-queue.store.ts';

export type TranscribeDeps = {
  queue: TranscriptionQueue;
  archive: Pick<SnapshotArchive, 'read'>;
  recordings: Pick<RecordingStore, 'read'>;
  findHearing: FindHearing;
  fixes: Pick<TranscriptFixes, 'save'>;
  clock: Clock;
  log: Log;
};

/** Stack time; the same as for an analysis [calls.13]. */
const GIVE_UP_AFTER_MS = 3 * 3_600_000;

/** Its message explains to users why there is no transcript. */
class NotTranscribed extends Error {}

/** Rebuilds a transcript from the recording [calls.22], or schedules a retry. Never rejects. */
export async function transcribeDue(
  deps: TranscribeDeps,
  due: DueTranscription,
  signal: AbortSignal,
): Promise<void> {
  const { queue, clock, log } = deps;
  const { attempts, call } = due;
  try {
    await transcribe(deps, due, signal);
  } catch (err) {
    // Another worker takes it over when this one has stopped.
    if (signal.aborted) return;
    const now = clock.now();
    const lastMs = due.requestedAt.getTime() + GIVE_UP_AFTER_MS;
    const reason = lastingReasonOf(err) ?? (now.getTime() >= lastMs ? reasonOf(err) : null);
    log.warn({ err, callId: call.id, attempts, givesUp: reason !== null }, 'transcription failed');
    const retryAt = new Date(Math.min(now.getTime() + retryAfterMs(attempts), lastMs));
    await (reason === null ? queue.postpone(due, retryAt) : queue.abandon(due, reason, now)).catch(
      (error: unknown) =>
        log.warn({ err: error, callId: call.id }, 'transcription stays claimed until its lease expires'),
    );
  }
}

async function transcribe(
  { archive, recordings, findHearing, fixes, clock }: TranscribeDeps,
  { call, attempts, recordingKey, recordingSid }: DueTranscription,
  signal: AbortSignal,
): Promise<void> {
  const { answeredAt } = call.state;
  if (recordingKey === null || !answeredAt) throw new NotTranscribed('the call has no recording');
  const snapshot = await archive.read(call.agentId, call.agentVersion);
  const config = readCallConfig(snapshot?.config ?? {});
  const { language, transcriber } = config;
  const { transcribeRecording } = await import('./transcribe-recording.ts');
  const cues = await transcribeRecording(recordingKey, {
    recordings,
    findStt: async (lineRate) => {
      const stt = await findHearing({ callId: call.id, transcriber, lineRate });
      if (!stt) throw new NotTranscribed('no provider that recognizes speech is configured');
      return stt;
    },
    language,
    phrases: phrasesOf(transcriber.keywords, call.dynamicVariables),
    signal,
  });
  if (!cues) throw new NotTranscribed('the recording does not exist any more');
  if (cues.length === 0) throw new NotTranscribed('no speech was recognized in the recording');
  const isSaved = await fixes.save(call.workspaceId, call.id, {
    turns: toTurns(cues, answeredAt),
    recordingSid,
    now: clock.now(),
    jobAttempts: attempts,
  });
  if (!isSaved) throw new NotTranscribed('meanwhile the recording was removed, or the last fix used');
}

/** The reason of a permanent failure; null: another attempt may succeed. */
function lastingReasonOf(err: unknown): string | null {
  if (err instanceof NotTranscribed) return err.message;
  return kindOf(err) === 'request' ? reasonOf(err) : null;
}

/** Excludes the provider's own message. */
function reasonOf(err: unknown): string {
  if (kindOf(err) === undefined) return 'the recording could not be transcribed';
  return `the provider of speech recognition failed (${kindOf(err)})`;
}

/** Checked by name, since the package is loaded only when something is transcribed. */
function kindOf(err: unknown): string | undefined {
  return err instanceof Error && err.name === 'SpeechError' && 'kind' in err ? String(err.kind) : undefined;
}
