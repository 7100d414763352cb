import { describe, expect, it } from '@jest/globals';
import { createKeyedLimiter } from '@parley/kit/concurrency';
import type { Auth } from '@parley/kit/http';
import { pauseRecording } from './pause-recording.ts';
import type { RecordingState } from './recording-pauses.store.ts';

/** A call whose worker does what was requested when it is told to. */
function pauses(concurrency: number) {
  let pause: RecordingState['pause'] = null;
  const deps = {
    recordingPauses: {
      find: async () => ({ isOver: false, isRecorded: true, pause }),
      request: async (_workspaceId: string, _id: string, isPaused: boolean) => {
        pause = isPaused ? 'pausing' : 'resuming';
      },
    },
    pauseWaits: createKeyedLimiter({ concurrency }),
  };
  return {
    request: (workspaceId: string, isPaused = true) =>
      pauseRecording(deps, { workspaceId } as Auth, { id: 'call', isPaused }),
    confirm: () => {
      pause = pause === 'pausing' ? 'paused' : null;
    },
  };
}

/** Longer than reading the state takes, and shorter than a wait. */
const soon = <T>(work: Promise<T>): Promise<T | 'waits'> =>
  Promise.race([work, new Promise<'waits'>((resolve) => setTimeout(resolve, 30, 'waits'))]);

describe('requests to pause recordings [trust.1] [calls.28]', () => {
  it('wait in a limited number for each workspace; further ones are answered at once, and take effect later', async () => {
    const { request, confirm } = pauses(2);
    const waiting = [request('many'), request('many'), request('another')];
    for (const one of waiting) expect(await soon(one)).toBe('waits');
    expect(await soon(request('many'))).toEqual({ id: 'call', recording: 'pausing' });
    confirm();
    for (const one of waiting) expect(await one).toEqual({ id: 'call', recording: 'paused' });
    const resuming = [request('many', false), request('many', false)];
    for (const one of resuming) expect(await soon(one)).toBe('waits');
    expect(await soon(request('many', false))).toEqual({ id: 'call', recording: 'resuming' });
    confirm();
    for (const one of resuming) expect(await one).toEqual({ id: 'call', recording: 'recording' });
  });
});
