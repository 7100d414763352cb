import { FRAME_MS, samplesIn } from '../audio/frame.ts';
import { createResampler } from '../audio/resample.ts';
import { createSampleQueue } from '../audio/sample-queue.ts';
import type { MediaSession, Unsubscribe } from './media-session.ts';

/** Maximum buffered audio: beyond it the two clocks have drifted apart, and the oldest audio is dropped. */
const MAX_BUFFERED_MS = 60;

/**
 * Sends the audio of `from`'s far end to `to`, mixed with everything else that `to` is sent. One-way connections form a
 * conference; one alone lets a supervisor listen in or whisper. Ends when either session closes.
 */
export function connect(from: MediaSession, to: MediaSession): Unsubscribe {
  const resampler = createResampler(from.sampleRate, to.sampleRate);
  const queue = createSampleQueue();
  const frameSamples = samplesIn(FRAME_MS, to.sampleRate);
  const maxSamples = samplesIn(MAX_BUFFERED_MS, to.sampleRate);
  const stopListening = from.onFrame(({ samples }) => {
    queue.push(resampler.process(samples));
    if (queue.length > maxSamples) queue.shift(queue.length - frameSamples);
  });
  const removeSource = to.addSource(() =>
    queue.length < frameSamples ? undefined : queue.shift(frameSamples),
  );
  const disconnect = (): void => {
    stopListening();
    removeSource();
  };
  void Promise.race([from.closed, to.closed]).then(disconnect);
  return disconnect;
}

/** Connects two sessions in both directions. */
export function bridge(a: MediaSession, b: MediaSession): Unsubscribe {
  return conference([a, b]);
}

/** Each session hears all others, never itself. */
export function conference(sessions: readonly MediaSession[]): Unsubscribe {
  const ends = sessions.flatMap((from) =>
    sessions.filter((to) => to !== from).map((to) => connect(from, to)),
  );
  return () => {
    for (const end of ends) end();
  };
}
