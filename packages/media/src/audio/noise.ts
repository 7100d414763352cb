import { toSample } from './frame.ts';

/** Uniform noise has a root mean square of its peak over this. */
const PEAK_TO_RMS = Math.sqrt(3);

/**
 * Comfort noise of a level in dB below full scale (RFC 3389: 0 to 127; 127 is inaudible), so that a line doesn't seem dead where the
 * far end suppresses silence. `random` returns numbers from 0 to 1.
 */
export function comfortNoise(
  samples: number,
  levelBelowFullScaleDb: number,
  random: () => number,
): Int16Array {
  const output = new Int16Array(samples);
  const peak = 32_768 * 10 ** (-levelBelowFullScaleDb / 20) * PEAK_TO_RMS;
  if (peak < 0.5) return output;
  for (let i = 0; i < samples; i += 1) output[i] = toSample((2 * random() - 1) * peak);
  return output;
}
