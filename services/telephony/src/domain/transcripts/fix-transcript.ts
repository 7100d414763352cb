import { conflict, notFound } from '@parley/kit/errors';
import type { Clock } from '@parley/kit/time';
import { type GetCallDeps, getCall } from '../call-history/get-call.ts';
import type { Transcriber } from '../recordings/ports.ts';
import { toTurns } from './heard.ts';
import type { FixableCall, TranscriptFixes } from './ports.ts';

export type FixTranscriptDeps = GetCallDeps & {
  fixes: TranscriptFixes;
  transcriber: Transcriber;
  clock: Clock;
};

/** spec: Limits. The database holds it too. */
const MOST_FIXES = 5;

/** `POST /v2/call/{id}/transcript/fix` (D6.8): hears the recording, and tells everybody again. */
export async function fixTranscript(
  deps: FixTranscriptDeps,
  workspaceId: string,
  callId: string,
): ReturnType<typeof getCall> {
  const { fixes, transcriber, clock } = deps;
  const call = await fixes.find(workspaceId, callId);
  if (!call) throw notFound('Call');
  const { key, answeredAt } = requireFixable(call);
  const cues = await transcriber.transcribe(key);
  if (!cues) throw noRecording();
  const turns = toTurns(cues, answeredAt);
  if (!(await fixes.save(workspaceId, callId, { turns, now: clock.now() }))) throw usedUp();
  return getCall(deps, workspaceId, callId);
}

function requireFixable({ isOver, answeredAt, recordingKey, fixCount }: FixableCall) {
  if (!isOver) throw conflict('The call is still live: its transcript can be fixed once it is over');
  if (recordingKey === null || !answeredAt) throw noRecording();
  if (fixCount >= MOST_FIXES) throw usedUp();
  return { key: recordingKey, answeredAt };
}

const noRecording = () => conflict('The call has no recording to rebuild its transcript from');
const usedUp = () => conflict(`The transcript was fixed ${MOST_FIXES} times already, which is the most`);
