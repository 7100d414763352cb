import { createJobLoop, type JobLoop } from '@parley/kit/concurrency';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { type ApplyPausesDeps, applyPauses } from '../after-call/recordings/live/apply-pauses.ts';
import { type ApplyStopRequestsDeps, applyStopRequests } from './apply-stop-requests.ts';
import type { CallSessions } from './call-sessions.ts';
import { type EndSuspendedDeps, endSuspended } from './end-suspended.ts';
import { type TakeOverDeps, takeOverCalls } from './take-over.ts';

export type SessionJobsDeps = TakeOverDeps &
  ApplyStopRequestsDeps &
  ApplyPausesDeps &
  Omit<EndSuspendedDeps, 'wakeStops'> & { sessions: CallSessions; lifecycle: Lifecycle };

const TAKE_OVER_EVERY_MS = 500;
const STOP_EVERY_MS = 250;
const PAUSES_EVERY_MS = 250;
const SUSPENDED_EVERY_MS = 1_000;
const FORGET_EVERY_MS = 600_000;
/** Stack time: longer than the longest call and the retries of its analysis. */
const SNAPSHOTS_LAST_MS = 24 * 3_600_000;

/** Take-over, requested stops, pauses of recordings, suspended workspaces and old snapshots. Stopping `lifecycle` releases the sessions. */
export function startSessionJobs(deps: SessionJobsDeps): { takeOver: JobLoop } {
  const { sessions, archive, clock, log, lifecycle } = deps;
  const loop = (name: string, everyMs: number, run: () => Promise<boolean>) =>
    createJobLoop({ name, everyMs, run, log, lifecycle });
  lifecycle.onStop('calls', () => sessions.releaseAll());
  const takeOver = loop('take over', TAKE_OVER_EVERY_MS, () => takeOverCalls(deps));
  const stops = loop('stops', STOP_EVERY_MS, () => applyStopRequests(deps));
  loop('pauses of recordings', PAUSES_EVERY_MS, () => applyPauses(deps));
  loop('suspended workspaces', SUSPENDED_EVERY_MS, () => endSuspended({ ...deps, wakeStops: stops.wake }));
  loop('old snapshots', FORGET_EVERY_MS, async () => {
    await archive.forgetOld(new Date(clock.now().getTime() - SNAPSHOTS_LAST_MS));
    return false;
  });
  return { takeOver };
}
