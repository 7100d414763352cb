import { monotonicMs, realSleep } from '@parley/kit/time';
import type { TranscriptionRequests } from '../../after-call/transcriptions/transcription-queue.store.ts';

type Outcome = Awaited<ReturnType<TranscriptionRequests['outcome']>>;

/** Waits for the transcription of a call, and returns what is known then. */
export type AwaitTranscription = (workspaceId: string, callId: string) => Promise<Outcome>;

/** A longer transcription continues without the request; less than the gateway waits. Real time. */
const WAIT_MS = 20_000;
const POLL_MS = 250;

/** Requests for the same call share one wait, and so its queries. */
export function createAwaitTranscription({
  outcome,
}: Pick<TranscriptionRequests, 'outcome'>): AwaitTranscription {
  const waits = new Map<string, Promise<Outcome>>();

  const wait = async (workspaceId: string, callId: string): Promise<Outcome> => {
    const untilMs = monotonicMs() + WAIT_MS;
    for (;;) {
      const known = await outcome(workspaceId, callId);
      if (known.state !== 'waiting' || monotonicMs() >= untilMs) return known;
      await realSleep(POLL_MS);
    }
  };

  return (workspaceId, callId) => {
    const key = `${workspaceId} ${callId.toLowerCase()}`;
    const shared = waits.get(key);
    if (shared) return shared;
    const started = wait(workspaceId, callId).finally(() => waits.delete(key));
    waits.set(key, started);
    return started;
  };
}
