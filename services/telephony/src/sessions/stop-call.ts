import type { KeyedLimiter, SingleFlight } from '@parley/kit/concurrency';
import { type AppError, conflict, notFound } from '@parley/kit/errors';
import type { Auth } from '@parley/kit/http';
import { realSleep } from '@parley/kit/time';
import type { RecordingLinks } from '../after-call/recordings/recording-links.ts';
import type { CallHistory } from '../calls/call-history.store.ts';
import { type CallRecord, toCallDetail } from '../calls/call-record.ts';
import { type RequestStopDeps, requestStop, type StopResult } from './request-stop.ts';

export type StopCallDeps = RequestStopDeps & {
  history: Pick<CallHistory, 'find'>;
  recordingLinks: Pick<RecordingLinks, 'signerFor'>;
  /** Concurrent stops of one call are one request. */
  stopping: SingleFlight<StopResult>;
  /** Waits of each workspace at the same time. */
  stopWaits: KeyedLimiter;
};

type Input = { workspaceId: string; id: string };

/** How long the response waits for the end of the call, by polling. Real time. */
const MAX_WAIT_MS = 2_000;
const POLL_EVERY_MS = 50;

/**
 * Hangs up [calls.2], whichever process holds the call: its worker polls for the request. A call that no worker holds ends
 * here. Responds with the call when it is over, after two seconds, or immediately while many others of the workspace wait.
 */
export async function stopCall(
  deps: StopCallDeps,
  { workspaceId, actor }: Auth,
  id: string,
): Promise<ReturnType<typeof toCallDetail>> {
  refuse(await deps.history.find(workspaceId, id));
  const request = () => requestStop(deps, { workspaceId, id });
  const stopped = await deps.stopping(`${workspaceId} ${id}`, request);
  if (stopped === 'missing') throw notFound('Call');
  if (stopped === 'over') throw isOver();
  return toCallDetail(await awaitEnd(deps, { workspaceId, id }), deps.recordingLinks.signerFor(actor));
}

function refuse(call: CallRecord | undefined): void {
  if (!call) throw notFound('Call');
  if (call.status === 'completed') throw isOver();
}

function isOver(): AppError {
  return conflict('The call is over');
}

async function awaitEnd(
  { history, stopWaits }: StopCallDeps,
  { workspaceId, id }: Input,
): Promise<CallRecord> {
  const release = stopWaits.tryAcquire(workspaceId);
  const maxWaitMs = release ? MAX_WAIT_MS : 0;
  try {
    for (let waitedMs = 0; ; waitedMs += POLL_EVERY_MS) {
      const call = await history.find(workspaceId, id);
      if (!call) throw notFound('Call');
      if (call.status === 'completed' || waitedMs >= maxWaitMs) return call;
      await realSleep(POLL_EVERY_MS);
    }
  } finally {
    release?.();
  }
}
