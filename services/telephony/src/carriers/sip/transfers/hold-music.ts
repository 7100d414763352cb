import { FRAME_MS, samplesIn } from '@parley/media';

/** A calm pattern of two voices: notes of this length, in Hz. */
const NOTE_MS = 480;
const MELODY = [392, 494, 587, 494, 440, 523, 659, 523];
const BASS = [196, 196, 147, 147, 220, 220, 165, 165];
const AMPLITUDE = 2_200;
const FADE_MS = 60;

/** What a caller hears while a transfer is being connected: 20 ms at each call, without an end. */
export function createHoldMusic(sampleRate: number): () => Int16Array {
  const frameSamples = samplesIn(FRAME_MS, sampleRate);
  const noteSamples = samplesIn(NOTE_MS, sampleRate);
  const fadeSamples = samplesIn(FADE_MS, sampleRate);
  let position = 0;

  const sampleAt = (n: number): number => {
    const note = Math.floor(n / noteSamples) % MELODY.length;
    const within = n % noteSamples;
    const fade = Math.min(1, within / fadeSamples, (noteSamples - within) / fadeSamples);
    const turns = (2 * Math.PI * within) / sampleRate;
    return (
      fade * AMPLITUDE * (Math.sin(turns * (MELODY[note] ?? 0)) + 0.6 * Math.sin(turns * (BASS[note] ?? 0)))
    );
  };

  return () => {
    const samples = Int16Array.from({ length: frameSamples }, (_, i) => Math.round(sampleAt(position + i)));
    position = (position + frameSamples) % (noteSamples * MELODY.length);
    return samples;
  };
}
