import { type AppError, conflict, notFound } from '@parley/kit/errors';
import { type Clock, realSleep } from '@parley/kit/time';
import type { CallRecord } from '../call-history/call-record.ts';
import { toCallDetail } from '../call-history/call-record.ts';
import type { CallHistory, LinkSigner } from '../call-history/ports.ts';
import { endUntouched } from '../calls/end-untouched.ts';
import type { Transact } from '../ports.ts';
import type { StoppableCalls } from './ports.ts';

export type StopCallDeps = {
  transact: Transact;
  clock: Clock;
  stops: StoppableCalls;
  history: CallHistory;
  recordingLinks: LinkSigner;
  /** Tells the workers of this process that there is a call to end. */
  wakeStops: () => void;
};

type Input = { workspaceId: string; id: string };

/** How long the answer waits for the end that it tells of, looking this often. Real time. */
const LONGEST_WAIT_MS = 2_000;
const LOOK_EVERY_MS = 50;

/**
 * Hangs up (D6.2), whatever process holds the call: a worker finds the request among its calls. One that is in nobody's
 * hands yet ends here. Answers with the call as it is when it is over, or after two seconds.
 */
export async function stopCall(
  deps: StopCallDeps,
  { workspaceId, id }: Input,
): Promise<ReturnType<typeof toCallDetail>> {
  refuse(await deps.history.find(workspaceId, id));
  await deps.transact(async (tx) => {
    // Locked in the order of the dialer: the request, then the call.
    await deps.stops.withdraw(tx, workspaceId, id);
    const call = await deps.stops.lock(tx, workspaceId, id);
    if (!call) throw notFound('Call');
    if (call.state.phase === 'ended') throw isOver();
    const now = deps.clock.now();
    if (call.state.phase === 'queued')
      await deps.stops.end(tx, call, endUntouched(call, 'stopped', now), now);
    else await deps.stops.request(tx, call, now);
  });
  deps.wakeStops();
  return toCallDetail(await awaitEnd(deps, { workspaceId, id }), deps.recordingLinks);
}

function refuse(call: CallRecord | undefined): void {
  if (!call) throw notFound('Call');
  if (call.status === 'completed') throw isOver();
}

function isOver(): AppError {
  return conflict('The call is over');
}

async function awaitEnd({ history }: StopCallDeps, { workspaceId, id }: Input): Promise<CallRecord> {
  for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
    const call = await history.find(workspaceId, id);
    if (!call) throw notFound('Call');
    if (call.status === 'completed' || waitedMs >= LONGEST_WAIT_MS) return call;
    await realSleep(LOOK_EVERY_MS);
  }
}
