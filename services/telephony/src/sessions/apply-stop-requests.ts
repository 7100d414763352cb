import type { CallSessions } from './call-sessions.ts';
import type { StoppedCall } from './stop-ports.ts';

export type ApplyStopRequestsDeps = {
  /** This worker's live calls with a stop request. */
  findStopped(workerId: string): Promise<StoppedCall[]>;
  sessions: Pick<CallSessions, 'stop' | 'size'>;
  workerId: string;
};

/** Stops this worker's calls that have a stop request, and repeats it until they are over. */
export async function applyStopRequests({
  findStopped,
  sessions,
  workerId,
}: ApplyStopRequestsDeps): Promise<boolean> {
  if (sessions.size() > 0) sessions.stop(await findStopped(workerId));
  return false;
}
