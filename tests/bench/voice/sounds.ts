import { samplesIn } from '@parley/media';
import { createRandom } from '@parley/media/testing';

// Synthetic human sounds that need no external program and that voice activity detection treats like real ones.

/** Formants of an open vowel, with their bandwidths. */
const FORMANTS = [
  [700, 110],
  [1_220, 120],
  [2_600, 160],
] as const;
const PITCH_HZ = 125;
const SYLLABLE_HZ = 4;
const LEVEL = 9_000;

/** Voiced speech of `ms`, about four syllables a second. */
export function voiced(ms: number, sampleRate: number, hz = PITCH_HZ): Int16Array {
  const count = samplesIn(ms, sampleRate);
  const states = FORMANTS.map(() => [0, 0]);
  const output = new Float64Array(count);
  let phase = 1;
  for (let n = 0; n < count; n += 1) {
    const seconds = n / sampleRate;
    phase += (hz * (1 + 0.08 * Math.sin(2 * Math.PI * 1.3 * seconds))) / sampleRate;
    const pulse = phase >= 1 ? 1 : 0;
    if (phase >= 1) phase -= 1;
    let sum = 0;
    FORMANTS.forEach(([frequency, width], i) => {
      const radius = Math.exp((-Math.PI * width) / sampleRate);
      const state = states[i] as number[];
      const value =
        pulse +
        2 * radius * Math.cos((2 * Math.PI * frequency) / sampleRate) * (state[0] ?? 0) -
        radius * radius * (state[1] ?? 0);
      state[1] = state[0] ?? 0;
      state[0] = value;
      sum += value;
    });
    output[n] = sum * (0.6 + 0.4 * Math.sin(2 * Math.PI * SYLLABLE_HZ * seconds));
  }
  const peak = output.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9);
  return Int16Array.from(output, (value) => Math.round((LEVEL * value) / peak));
}

/** A cough: two decaying bursts of noise. */
export function cough(sampleRate: number): Int16Array {
  const random = createRandom(7);
  return Int16Array.from({ length: samplesIn(350, sampleRate) }, (_, n) => {
    const ms = (n * 1_000) / sampleRate;
    const since = ms < 180 ? ms : ms - 180;
    return Math.round(LEVEL * Math.exp(-since / 45) * (2 * random() - 1));
  });
}
