import type { Clock } from '@parley/kit/time';
import type { CallSessions } from '../../../sessions/call-sessions.ts';
import type { RecordingPauses } from './recording-pauses.store.ts';

export type ApplyPausesDeps = {
  recordingPauses: Pick<RecordingPauses, 'requested' | 'confirm'>;
  sessions: Pick<CallSessions, 'pauseRecording' | 'size'>;
  workerId: string;
  clock: Clock;
};

/** Pauses and resumes the recordings of this worker's calls on request [calls.28]. A call whose session is being opened waits for the next round. */
export async function applyPauses(deps: ApplyPausesDeps): Promise<boolean> {
  const { recordingPauses, sessions, workerId, clock } = deps;
  if (sessions.size() === 0) return false;
  for (const request of await recordingPauses.requested(workerId))
    if (sessions.pauseRecording(request)) await recordingPauses.confirm(workerId, request, clock.now());
  return false;
}
