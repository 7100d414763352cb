import type { CallRecordingState } from '@parley/contracts';
import type { KeyedLimiter } from '@parley/kit/concurrency';
import { conflict, notFound } from '@parley/kit/errors';
import type { Auth } from '@parley/kit/http';
import { realSleep } from '@parley/kit/time';
import type { RecordingPauses, RecordingState } from './recording-pauses.store.ts';

export type PauseRecordingDeps = {
  recordingPauses: Pick<RecordingPauses, 'find' | 'request'>;
  /** Waits of each workspace at the same time. */
  pauseWaits: KeyedLimiter;
};

type Input = { id: string; isPaused: boolean };

/** How long the response waits for the worker of the call, by polling. Real time. */
const MAX_WAIT_MS = 2_000;
const POLL_EVERY_MS = 50;

/**
 * Pauses the recording of a live call, or ends the pause [calls.28]. Responds when the worker of the call has done it, after two
 * seconds, or immediately while many others of the workspace wait. If that worker has died, the next one pauses before it records.
 */
export async function pauseRecording(
  { recordingPauses: pauses, pauseWaits }: PauseRecordingDeps,
  { workspaceId }: Auth,
  { id, isPaused }: Input,
): Promise<CallRecordingState> {
  const read = async (): Promise<RecordingState> => {
    const found = await pauses.find(workspaceId, id);
    if (!found) throw notFound('Call');
    if (found.isOver) throw conflict('The call is over');
    return found;
  };
  if (!(await read()).isRecorded) throw conflict('The call is not being recorded');
  await pauses.request(workspaceId, id, isPaused);
  const release = pauseWaits.tryAcquire(workspaceId);
  const maxWaitMs = release ? MAX_WAIT_MS : 0;
  try {
    for (let waitedMs = 0; ; waitedMs += POLL_EVERY_MS) {
      const { pause } = await read();
      if ((pause !== 'pausing' && pause !== 'resuming') || waitedMs >= maxWaitMs)
        return { id, recording: pause ?? 'recording' };
      await realSleep(POLL_EVERY_MS);
    }
  } finally {
    release?.();
  }
}
