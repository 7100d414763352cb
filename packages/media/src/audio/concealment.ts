import { samplesIn, toSample } from './frame.ts';

// Lost audio is replaced by repeating the last pitch period, as in ITU-T G.711 Appendix I. The repetition fades out, because a
// frozen vowel annoys more than silence. The same search for a pitch period shortens audio without a click.

const HISTORY_MS = 40;
const MIN_PERIOD_MS = 2.5;
const MAX_PERIOD_MS = 15;
const MATCH_MS = 10;
const FULL_GAIN_MS = 10;
const SILENT_AFTER_MS = 60;
const BLEND_MS = 4;
/** The search uses about 8,000 samples a second, whatever the rate. */
const SEARCH_RATE = 8_000;

/** Fills gaps of one stream. */
export type Concealer = {
  /** The stream's next samples; after a gap their start is blended with the end of the repetition. */
  accept(samples: Int16Array): Int16Array;
  /** Replaces `count` lost samples: a repetition that is silent after 60 ms. */
  conceal(count: number): Int16Array;
};

export function createConcealer(sampleRate: number): Concealer {
  const at = (ms: number): number => samplesIn(ms, sampleRate);
  let history = new Int16Array(at(HISTORY_MS));
  let period: Int16Array | undefined;
  let repeated = 0;

  const remember = (samples: Int16Array): void => {
    const next = new Int16Array(history.length);
    const kept = Math.max(0, history.length - samples.length);
    next.set(history.subarray(history.length - kept));
    next.set(samples.subarray(Math.max(0, samples.length - history.length)), kept);
    history = next;
  };
  const repeat = (count: number): Int16Array => {
    period ??= lastPeriod(history, sampleRate);
    const output = new Int16Array(count);
    for (let i = 0; i < count; i += 1) {
      const age = repeated + i;
      const gain = Math.min(1, (at(SILENT_AFTER_MS) - age) / at(SILENT_AFTER_MS - FULL_GAIN_MS));
      if (gain <= 0) break;
      output[i] = toSample(gain * (period[age % period.length] ?? 0));
    }
    repeated += count;
    return output;
  };

  return {
    accept(samples) {
      let output = samples;
      if (period && samples.length > 0) {
        output = samples.slice();
        crossfade(repeat(Math.min(at(BLEND_MS), samples.length)), output);
      }
      period = undefined;
      repeated = 0;
      remember(output);
      return output;
    },
    conceal: repeat,
  };
}

/**
 * Removes one pitch period (2.5 to 15 ms) near the start of `samples`, which must last at least 30 ms. Returns them unchanged if
 * they are shorter.
 */
export function shorten(samples: Int16Array, sampleRate: number): Int16Array {
  const overlap = samplesIn(MATCH_MS, sampleRate);
  if (samples.length < 2 * samplesIn(MAX_PERIOD_MS, sampleRate)) return samples;
  const lag = findPeriod(samples, sampleRate, (from) => from, overlap);
  const output = samples.slice(lag);
  crossfade(samples.subarray(0, overlap), output);
  return output;
}

/** Blends from `before` to the start of `into`. */
function crossfade(before: Int16Array, into: Int16Array): void {
  for (let i = 0; i < before.length; i += 1) {
    const share = (i + 1) / (before.length + 1);
    into[i] = toSample((1 - share) * (before[i] ?? 0) + share * (into[i] ?? 0));
  }
}

function lastPeriod(history: Int16Array, sampleRate: number): Int16Array {
  const match = samplesIn(MATCH_MS, sampleRate);
  const tail = history.length - match;
  const lag = findPeriod(history, sampleRate, (candidate) => tail - candidate, match, tail);
  const period = history.slice(history.length - lag);
  // Its end is blended into what preceded its start, so that repetitions join without a click.
  const blend = Math.floor(lag / 4);
  for (let i = 0; i < blend; i += 1) {
    const share = (i + 1) / (blend + 1);
    const index = lag - blend + i;
    const before = history[history.length - lag - blend + i] ?? 0;
    period[index] = toSample((1 - share) * (period[index] ?? 0) + share * before);
  }
  return period;
}

/** The lag at which `samples` resemble themselves most: `length` samples from `fixed` and from `startOf(lag)`. */
function findPeriod(
  samples: Int16Array,
  sampleRate: number,
  startOf: (lag: number) => number,
  length: number,
  fixed = 0,
): number {
  const step = Math.max(1, Math.round(sampleRate / SEARCH_RATE));
  const [min, max] = [samplesIn(MIN_PERIOD_MS, sampleRate), samplesIn(MAX_PERIOD_MS, sampleRate)];
  let best = max;
  let bestScore = Number.NEGATIVE_INFINITY;
  for (let lag = min; lag <= max; lag += step) {
    const start = startOf(lag);
    let product = 0;
    let energy = 1;
    for (let i = 0; i < length; i += step) {
      const other = samples[start + i] ?? 0;
      product += (samples[fixed + i] ?? 0) * other;
      energy += other * other;
    }
    const score = product / Math.sqrt(energy);
    if (score > bestScore) {
      bestScore = score;
      best = lag;
    }
  }
  return best;
}
