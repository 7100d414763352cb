// A polyphase filter: conceptually the signal is upsampled to the least common multiple of both rates, low-pass filtered by a sinc
// with a Kaiser window, and decimated. Only the remaining outputs are computed, each with its own phase of the filter.

/** Zero crossings of the sinc on each side, at the lower of both rates. A larger number narrows the transition band. */
const ZERO_CROSSINGS = 24;
/** Stop-band attenuation of about 80 dB. */
const KAISER_BETA = 8;
/** The pass band ends at this share of half the lower rate; frequencies above half the rate are attenuated before they alias. */
const PASS_BAND = 0.93;
const UNROLLED = 4;
const MIN_RATE = 4_000;
const MAX_RATE = 192_000;
const MAX_PHASES = 4_800;

type Filter = { readonly phases: readonly Float64Array[]; readonly taps: number };
const filters = new Map<string, Filter>();

/** Resamples a mono stream block by block. */
export type Resampler = {
  readonly fromRate: number;
  readonly toRate: number;
  /** Delay of the filter in milliseconds: about 3 at 8 kHz. */
  readonly delayMs: number;
  /** Resamples the next samples of the stream. In total it returns exactly `toRate / fromRate` samples for each input sample. */
  process(samples: Int16Array): Int16Array;
};

/** Throws RangeError for rates outside of 4,000 to 192,000 or whose ratio needs more than 4,800 phases. */
export function createResampler(fromRate: number, toRate: number): Resampler {
  for (const rate of [fromRate, toRate]) {
    if (!Number.isInteger(rate) || rate < MIN_RATE || rate > MAX_RATE) {
      throw new RangeError(`Sample rates must be whole numbers from ${MIN_RATE} to ${MAX_RATE}: ${rate}`);
    }
  }
  if (fromRate === toRate) return { fromRate, toRate, delayMs: 0, process: (samples) => samples };
  const divisor = greatestCommonDivisor(fromRate, toRate);
  const up = toRate / divisor;
  const down = fromRate / divisor;
  const { phases, taps } = filterOf(up, down);
  const kept = taps - 1;
  /** The last samples of the stream, then the next ones; reused, since a call resamples fifty times a second. */
  let input = new Float64Array(kept);
  /** Position of the next output in input samples, relative to the first one that `process` gets, and its phase. */
  let base = 0;
  let phase = 0;

  return {
    fromRate,
    toRate,
    delayMs: (taps / 2 / fromRate) * 1_000,
    process(samples) {
      if (input.length < kept + samples.length) {
        const longer = new Float64Array(kept + samples.length);
        longer.set(input.subarray(0, kept));
        input = longer;
      }
      input.set(samples, kept);
      const output = new Int16Array(Math.max(0, Math.ceil(((samples.length - base) * up - phase) / down)));
      for (let n = 0; n < output.length; n += 1) {
        const sum = convolve(phases[phase] as Float64Array, input, base, taps);
        // Int16Array wraps; the sum may overshoot.
        output[n] = sum > 32_767 ? 32_767 : sum < -32_768 ? -32_768 : Math.round(sum);
        phase += down;
        base += Math.floor(phase / up);
        phase %= up;
      }
      base -= samples.length;
      input.copyWithin(0, samples.length, samples.length + kept);
      return output;
    },
  };
}

/** Four independent sums: with a single one each addition would wait for the previous one. */
function convolve(filter: Float64Array, input: Float64Array, start: number, taps: number): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let tap = 0, at = start; tap < taps; tap += UNROLLED, at += UNROLLED) {
    a += (filter[tap] as number) * (input[at] as number);
    b += (filter[tap + 1] as number) * (input[at + 1] as number);
    c += (filter[tap + 2] as number) * (input[at + 2] as number);
    d += (filter[tap + 3] as number) * (input[at + 3] as number);
  }
  return a + b + c + d;
}

function filterOf(up: number, down: number): Filter {
  if (up > MAX_PHASES) throw new RangeError(`The ratio ${up}:${down} needs more than ${MAX_PHASES} phases`);
  const key = `${up}:${down}`;
  const known = filters.get(key);
  if (known) return known;
  // In units of the common multiple of the rates: the low-pass keeps what both rates can represent.
  const stretch = Math.max(up, down);
  const taps = UNROLLED * Math.ceil((2 * ZERO_CROSSINGS * stretch) / up / UNROLLED);
  const length = taps * up;
  const center = length / 2;
  const cutoff = PASS_BAND / stretch;
  const phases = Array.from({ length: up }, (_, phase) => {
    const filter = new Float64Array(taps);
    // Reversed: the last value is for the newest sample.
    for (let tap = 0; tap < taps; tap += 1) {
      const x = tap * up + phase - center;
      filter[taps - 1 - tap] = up * cutoff * sinc(cutoff * x) * kaiser(x / center);
    }
    // Each phase passes a constant unchanged: no phase is louder than another.
    const gain = filter.reduce((sum, value) => sum + value, 0);
    return filter.map((value) => value / gain);
  });
  const filter = { phases, taps };
  filters.set(key, filter);
  return filter;
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

function kaiser(x: number): number {
  return Math.abs(x) >= 1 ? 0 : bessel(KAISER_BETA * Math.sqrt(1 - x * x)) / bessel(KAISER_BETA);
}

/** Modified Bessel function of the first kind and order zero, by its power series. */
function bessel(x: number): number {
  let sum = 1;
  let term = 1;
  for (let n = 1; term > sum * 1e-12; n += 1) {
    term *= (x / (2 * n)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
