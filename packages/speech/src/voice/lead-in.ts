import { samplesIn } from '@parley/media';

/** A sample above this can be heard. */
export const AUDIBLE = 300;
/** Soft first sounds are below it. */
const KEPT_MS = 40;
/** A longer pause is intentional. */
const MAX_CUT_MS = 500;

/**
 * Cuts the silence before the first sound, up to half a second: synthesis begins with some, which the human would only wait for. Call it with
 * all audio of a sentence; returns what remains of it.
 */
export function createLeadIn(sampleRate: number): (samples: Int16Array) => Int16Array {
  const kept = samplesIn(KEPT_MS, sampleRate);
  let leftToCut = samplesIn(MAX_CUT_MS, sampleRate);
  let held = new Int16Array(0);
  let isOver = false;
  return (samples) => {
    if (isOver) return samples;
    const all = new Int16Array(held.length + samples.length);
    all.set(held);
    all.set(samples, held.length);
    const first = all.findIndex((sample) => Math.abs(sample) > AUDIBLE);
    const silent = (first < 0 ? all.length : first) - kept;
    const cut = Math.min(Math.max(0, silent), leftToCut);
    leftToCut -= cut;
    if (first < 0 && leftToCut > 0) {
      held = all.slice(cut);
      return new Int16Array(0);
    }
    isOver = true;
    return all.subarray(cut);
  };
}
