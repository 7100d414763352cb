import type { Recorder } from '../../../after-call/recordings/ports.ts';
import { mix } from './mix.ts';
import { placeCues } from './place-cues.ts';
import { SAMPLE_RATE, type Voice } from './voice.ts';
import { FRAME_BYTES, wavEnds } from './wav-file.ts';

/**
 * Recordings of simulated calls [running.2], synthesized from the transcript, each side on its channel at the recorded times. Speech
 * after `maxSeconds` is omitted.
 */
export function createSimulatedRecorder({
  voice,
  maxSeconds,
}: {
  voice: Voice;
  maxSeconds: number;
}): Recorder {
  return {
    record: (call, signal) => {
      const totalMs = Math.min(call.endedAt.getTime() - call.answeredAt.getTime(), maxSeconds * 1000);
      const frames = Math.round((totalMs * SAMPLE_RATE) / 1000);
      const cues = placeCues(call, totalMs);
      const { head, tail } = wavEnds(frames, cues);
      const bytes = async function* (): AsyncGenerator<Buffer> {
        yield head;
        yield* mix(cues, frames, { voice, signal });
        yield tail;
      };
      const length = head.length + frames * FRAME_BYTES + tail.length;
      return { seconds: Math.ceil(totalMs / 1000), length, bytes: bytes() };
    },
  };
}
