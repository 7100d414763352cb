import type { KeyedLimiter } from '@parley/kit/concurrency';
import { conflict, notFound } from '@parley/kit/errors';
import type { Auth } from '@parley/kit/http';
import type { Clock } from '@parley/kit/time';
import { type CueReader, RecordingStoreError } from '../../after-call/recordings/ports.ts';
import type { TranscriptionRequests } from '../../after-call/transcriptions/transcription-queue.store.ts';
import { type GetCallDeps, getCall } from '../read-calls.ts';
import type { AwaitTranscription } from './await-transcription.ts';
import { toTurns } from './transcribed-turns.ts';
import type { TranscriptFixes } from './transcript-fixes.store.ts';

export type FixTranscriptDeps = GetCallDeps & {
  fixes: TranscriptFixes;
  cueReader: CueReader;
  transcriptions: TranscriptionRequests;
  transcribed: AwaitTranscription;
  /** Fixes of each workspace at the same time. */
  fixSlots: KeyedLimiter;
  isRecordingAwaited: (callId: string) => Promise<boolean>;
  clock: Clock;
};

/** The database checks it too. */
const MAX_FIXES = 5;

/** Rebuilds the transcript from the recording and publishes it as a new edition [calls.14]. */
export function fixTranscript(
  deps: FixTranscriptDeps,
  auth: Auth,
  callId: string,
): ReturnType<typeof getCall> {
  return deps.fixSlots.run(auth.workspaceId, () => fix(deps, auth, callId));
}

async function fix(deps: FixTranscriptDeps, auth: Auth, callId: string): ReturnType<typeof getCall> {
  const { fixes, cueReader, clock } = deps;
  const { workspaceId } = auth;
  const call = await fixes.find(workspaceId, callId);
  if (!call) throw notFound('Call');
  const { status, answeredAt, recordingKey, recordingSid, transcriptFixCount } = call;
  if (status !== 'completed')
    throw conflict('The call is still live: its transcript can be fixed once it has ended');
  if (recordingKey === null || !answeredAt) throw noRecording();
  if (transcriptFixCount >= MAX_FIXES) throw usedUp();
  const cues = await cueReader.read(recordingKey);
  if (!cues && (await deps.isRecordingAwaited(callId))) throw new RecordingStoreError('not stored yet');
  if (!cues) throw noRecording();
  const isDone =
    cues === 'audio'
      ? await transcribe(deps, auth, { callId, recordingSid })
      : await fixes.save(workspaceId, callId, {
          turns: toTurns(cues, answeredAt),
          recordingSid,
          now: clock.now(),
        });
  // Another fix was the last one, or the words were erased.
  return isDone ? getCall(deps, auth, callId) : fix(deps, auth, callId);
}

/**
 * A worker transcribes. The response waits for it, but not for a long recording or a failing provider [calls.22]. False: the recording is
 * no longer the call's; an erasure of the call ends its transcription without a reason.
 */
async function transcribe(
  { fixes, transcriptions, transcribed, clock }: FixTranscriptDeps,
  { workspaceId }: Auth,
  { callId, recordingSid }: { callId: string; recordingSid: string | null },
): Promise<boolean> {
  await transcriptions.request(workspaceId, callId, clock.now());
  const outcome = await transcribed(workspaceId, callId);
  if (outcome.state === 'failed') throw notRebuilt(outcome.error);
  const call = await fixes.find(workspaceId, callId);
  return call?.recordingKey !== null && call?.recordingSid === recordingSid;
}

const noRecording = () => conflict('The call has no recording to rebuild its transcript from');
const usedUp = () =>
  conflict(`The transcript has already been fixed ${MAX_FIXES} times, which is the maximum`);
const notRebuilt = (error: string) => conflict(`The transcript could not be rebuilt: ${error}`);
