import { samplesIn } from '../audio/frame.ts';

/** A sine of `ms` milliseconds. */
export function tone(hz: number, ms: number, sampleRate: number, amplitude = 8_000): Int16Array {
  return Int16Array.from({ length: samplesIn(ms, sampleRate) }, (_, n) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * hz * n) / sampleRate)),
  );
}

/** Share of the energy of `samples` at one frequency (Goertzel): about 1 for a pure tone, 0 for anything else. */
export function shareOf(hz: number, samples: Int16Array, sampleRate: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * hz) / sampleRate);
  let [before, last, energy] = [0, 0, 0];
  for (const sample of samples) {
    [before, last] = [last, sample + coefficient * last - before];
    energy += sample * sample;
  }
  const power = before * before + last * last - coefficient * before * last;
  return energy === 0 ? 0 : (2 * power) / (samples.length * energy);
}

/** Milliseconds of 20 ms blocks that are louder than a whisper. */
export function audibleMs(samples: Int16Array, sampleRate: number): number {
  const block = samplesIn(20, sampleRate);
  let count = 0;
  for (let start = 0; start + block <= samples.length; start += block) {
    let peak = 0;
    for (const sample of samples.subarray(start, start + block)) peak = Math.max(peak, Math.abs(sample));
    if (peak > 500) count += 1;
  }
  return count * 20;
}
