import type { KeyedLimiter, SingleFlight } from '@parley/kit/concurrency';
import { type AppError, conflict, notFound } from '@parley/kit/errors';
import type { Auth } from '@parley/kit/http';
import { realSleep } from '@parley/kit/time';
import type { RecordingLinks } from '../after-call/recordings/recording-links.ts';
import type { CallHistory } from '../calls/call-history.store.ts';
import { type CallRecord, toCallDetail } from '../calls/call-record.ts';
import { type RequestStopDeps, requestStop } from './request-stop.ts';

export type StopCallDeps = RequestStopDeps & {
  history: Pick<CallHistory, 'find'>;
  recordingLinks: Pick<RecordingLinks, 'signerFor'>;
  /** Concurrent stops of one call are one, which resolves to the call. */
  stopping: SingleFlight<CallRecord>;
  /** Waits of each workspace at the same time. */
  stopWaits: KeyedLimiter;
};

type Input = { workspaceId: string; id: string };

/** How long the response waits for the end of the call, by polling less and less often. Real time. */
const MAX_WAIT_MS = 2_000;
const [FIRST_POLL_MS, MAX_POLL_MS] = [50, 250];

/**
 * Hangs up [calls.2], whichever process holds the call: its worker polls for the request. A call that no worker holds ends
 * here. Responds with the call when it is over, or as it is after two seconds, or immediately while many others of the workspace wait. A stop that joins
 * another one of the same call responds together with it, so possibly sooner.
 */
export async function stopCall(
  deps: StopCallDeps,
  { workspaceId, actor }: Auth,
  id: string,
): Promise<ReturnType<typeof toCallDetail>> {
  const call = await deps.stopping(`${workspaceId} ${id}`, () => stop(deps, { workspaceId, id }));
  return toCallDetail(call, deps.recordingLinks.signerFor(actor));
}

async function stop(deps: StopCallDeps, given: Input): Promise<CallRecord> {
  const { status } = await find(deps, given);
  if (status === 'completed') throw isOver();
  const result = await requestStop(deps, given);
  if (result === 'missing') throw notFound('Call');
  if (result === 'over') throw isOver();
  return awaitEnd(deps, given);
}

async function awaitEnd(deps: StopCallDeps, given: Input): Promise<CallRecord> {
  const release = deps.stopWaits.tryAcquire(given.workspaceId);
  const maxWaitMs = release ? MAX_WAIT_MS : 0;
  try {
    let waitedMs = 0;
    for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 1.5, MAX_POLL_MS)) {
      const call = await find(deps, given);
      if (call.status === 'completed' || waitedMs >= maxWaitMs) return call;
      await realSleep(pollMs);
      waitedMs += pollMs;
    }
  } finally {
    release?.();
  }
}

async function find({ history }: StopCallDeps, { workspaceId, id }: Input): Promise<CallRecord> {
  const call = await history.find(workspaceId, id);
  if (!call) throw notFound('Call');
  return call;
}

function isOver(): AppError {
  return conflict('The call is over');
}
