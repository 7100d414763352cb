import { conflict, notFound } from '@parley/kit/errors';
import type { Clock } from '@parley/kit/time';
import type { Transcriber } from '../../after-call/recordings/ports.ts';
import { type GetCallDeps, getCall } from '../read-calls.ts';
import { toTurns } from './heard.ts';
import type { TranscriptFixes } from './transcript-fixes.store.ts';

export type FixTranscriptDeps = GetCallDeps & {
  fixes: TranscriptFixes;
  transcriber: Transcriber;
  clock: Clock;
};

/** The database checks it too. */
const MAX_FIXES = 5;

/** Rebuilds the transcript from the recording and publishes it as a new edition [calls.14]. */
export async function fixTranscript(
  deps: FixTranscriptDeps,
  workspaceId: string,
  callId: string,
): ReturnType<typeof getCall> {
  const { fixes, transcriber, clock } = deps;
  const call = await fixes.find(workspaceId, callId);
  if (!call) throw notFound('Call');
  const { status, answeredAt, recordingKey, transcriptFixCount } = call;
  if (status !== 'completed')
    throw conflict('The call is still live: its transcript can be fixed once it has ended');
  if (recordingKey === null || !answeredAt) throw noRecording();
  if (transcriptFixCount >= MAX_FIXES) throw usedUp();
  const cues = await transcriber.transcribe(recordingKey);
  if (!cues) throw noRecording();
  const turns = toTurns(cues, answeredAt);
  if (!(await fixes.save(workspaceId, callId, { turns, now: clock.now() }))) throw usedUp();
  return getCall(deps, workspaceId, callId);
}

const noRecording = () => conflict('The call has no recording to rebuild its transcript from');
const usedUp = () =>
  conflict(`The transcript has already been fixed ${MAX_FIXES} times, which is the maximum`);
