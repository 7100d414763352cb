// ITU-T G.722 at 64 kbit/s: two bands of 8 kHz each, split by a quadrature mirror filter, are coded by adaptive prediction with 6 and
// 2 bits a sample. The names of steps (QUANTL, LOGSCL, …) are those of the recommendation.

const Q6 = [
  0, 35, 72, 110, 150, 190, 233, 276, 323, 370, 422, 473, 530, 587, 650, 714, 786, 858, 940, 1023, 1121, 1219,
  1339, 1458, 1612, 1765, 1980, 2195, 2557, 2919, 0, 0,
];
const ILN = [
  0, 63, 62, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7,
  6, 5, 4, 0,
];
const ILP = [
  0, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36,
  35, 34, 33, 32, 0,
];
const QM6 = [
  -136, -136, -136, -136, -24808, -21904, -19008, -16704, -14984, -13512, -12280, -11192, -10232, -9360,
  -8576, -7856, -7192, -6576, -6000, -5456, -4944, -4464, -4008, -3576, -3168, -2776, -2400, -2032, -1688,
  -1360, -1040, -728, 24808, 21904, 19008, 16704, 14984, 13512, 12280, 11192, 10232, 9360, 8576, 7856, 7192,
  6576, 6000, 5456, 4944, 4464, 4008, 3576, 3168, 2776, 2400, 2032, 1688, 1360, 1040, 728, 432, 136, -432,
  -136,
];
const QM4 = [
  0, -20456, -12896, -8968, -6288, -4240, -2584, -1200, 20456, 12896, 8968, 6288, 4240, 2584, 1200, 0,
];
const QM2 = [-7408, -1616, 7408, 1616];
const ILB = [
  2048, 2093, 2139, 2186, 2233, 2282, 2332, 2383, 2435, 2489, 2543, 2599, 2656, 2714, 2774, 2834, 2896, 2960,
  3025, 3091, 3158, 3228, 3298, 3371, 3444, 3520, 3597, 3676, 3756, 3838, 3922, 4008,
];
const WL = [-60, -30, 58, 172, 334, 538, 1198, 3042];
const RL42 = [0, 7, 6, 5, 4, 3, 2, 1, 7, 6, 5, 4, 3, 2, 1, 0];
const WH = [0, -214, 798];
const RH2 = [2, 1, 2, 1];
const IHN = [0, 1, 0];
const IHP = [0, 3, 2];
const QMF = [3, -11, 12, 32, -210, 951, 3876, -805, 362, -156, 53, -11];
const QMF_TAPS = 24;
const MAX_LOW_SCALE = 18_432;
const MAX_HIGH_SCALE = 22_528;
const LOW_SHIFT = 8;
const HIGH_SHIFT = 10;

/** The predictor of one band, identical in encoder and decoder. */
type Band = {
  /** The predicted signal (s), of which the zero section (sz) is a part. */
  predicted: number;
  zeros: number;
  /** The logarithmic scale (nb) and the step (det) of the quantizer. */
  scale: number;
  step: number;
  a: Int32Array;
  b: Int32Array;
  d: Int32Array;
  p: Int32Array;
  r: Int32Array;
};

function createBand(step: number): Band {
  const zeros = (length: number): Int32Array => new Int32Array(length);
  return {
    predicted: 0,
    zeros: 0,
    scale: 0,
    step,
    a: zeros(3),
    b: zeros(7),
    d: zeros(7),
    p: zeros(3),
    r: zeros(3),
  };
}

const at = (table: ArrayLike<number>, index: number): number => table[index] ?? 0;
const limit = (value: number, min: number, max: number): number => Math.max(min, Math.min(value, max));
const saturate = (value: number): number => limit(value, -32_768, 32_767);

/** Encodes a stream of 16-bit samples at 16 kHz: one byte for two samples. Holds the state of the stream. */
export function createG722Encoder(): (samples: Int16Array) => Uint8Array {
  const low = createBand(32);
  const high = createBand(8);
  const taps = new Int32Array(QMF_TAPS);
  return (samples) => {
    const bytes = new Uint8Array(samples.length >> 1);
    for (let n = 0; n < bytes.length; n += 1) {
      taps.copyWithin(0, 2);
      taps[22] = at(samples, 2 * n);
      taps[23] = at(samples, 2 * n + 1);
      const [odd, even] = filter(taps);
      const lowCode = quantizeLow(low, (even + odd) >> 14);
      const highCode = quantizeHigh(high, (even - odd) >> 14);
      bytes[n] = (highCode << 6) | lowCode;
    }
    return bytes;
  };
}

/** Decodes a stream; every byte is valid. */
export function createG722Decoder(): (bytes: Uint8Array) => Int16Array {
  const low = createBand(32);
  const high = createBand(8);
  const taps = new Int32Array(QMF_TAPS);
  return (bytes) => {
    const samples = new Int16Array(bytes.length * 2);
    bytes.forEach((byte, n) => {
      const lowCode = byte & 0x3f;
      const highCode = byte >> 6;
      const lowSignal = limit(low.predicted + ((low.step * at(QM6, lowCode)) >> 15), -16_384, 16_383);
      adaptLow(low, lowCode >> 2);
      const difference = (high.step * at(QM2, highCode)) >> 15;
      const highSignal = limit(high.predicted + difference, -16_384, 16_383);
      adaptHigh(high, highCode);
      taps.copyWithin(0, 2);
      taps[22] = lowSignal + highSignal;
      taps[23] = lowSignal - highSignal;
      const [odd, even] = filter(taps);
      samples[2 * n] = saturate(even >> 11);
      samples[2 * n + 1] = saturate(odd >> 11);
    });
    return samples;
  };
}

/** Both halves of the mirror filter. */
function filter(taps: Int32Array): [odd: number, even: number] {
  let odd = 0;
  let even = 0;
  for (let i = 0; i < 12; i += 1) {
    odd += at(taps, 2 * i) * at(QMF, i);
    even += at(taps, 2 * i + 1) * at(QMF, 11 - i);
  }
  return [odd, even];
}

/** SUBTRA, QUANTL; then the predictor follows as in the decoder. */
function quantizeLow(band: Band, signal: number): number {
  const error = saturate(signal - band.predicted);
  const magnitude = error >= 0 ? error : -(error + 1);
  let level = 1;
  while (level < 30 && magnitude >= (at(Q6, level) * band.step) >> 12) level += 1;
  const code = at(error < 0 ? ILN : ILP, level);
  adaptLow(band, code >> 2);
  return code;
}

function quantizeHigh(band: Band, signal: number): number {
  const error = saturate(signal - band.predicted);
  const magnitude = error >= 0 ? error : -(error + 1);
  const level = magnitude >= (564 * band.step) >> 12 ? 2 : 1;
  const code = at(error < 0 ? IHN : IHP, level);
  adaptHigh(band, code);
  return code;
}

/** INVQAL, LOGSCL, SCALEL. */
function adaptLow(band: Band, code: number): void {
  const difference = (band.step * at(QM4, code)) >> 15;
  band.scale = limit(((band.scale * 127) >> 7) + at(WL, at(RL42, code)), 0, MAX_LOW_SCALE);
  band.step = stepOf(band.scale, LOW_SHIFT);
  predict(band, difference);
}

/** INVQAH, LOGSCH, SCALEH. */
function adaptHigh(band: Band, code: number): void {
  const difference = (band.step * at(QM2, code)) >> 15;
  band.scale = limit(((band.scale * 127) >> 7) + at(WH, at(RH2, code)), 0, MAX_HIGH_SCALE);
  band.step = stepOf(band.scale, HIGH_SHIFT);
  predict(band, difference);
}

function stepOf(scale: number, maxShift: number): number {
  const mantissa = at(ILB, (scale >> 6) & 31);
  const shift = maxShift - (scale >> 11);
  return (shift < 0 ? mantissa << -shift : mantissa >> shift) << 2;
}

/** Block 4: the pole and zero sections adapt to the difference, then predict the next sample. */
function predict(band: Band, difference: number): void {
  const { a, b, d, p, r } = band;
  d[0] = difference;
  r[0] = saturate(band.predicted + difference);
  p[0] = saturate(band.zeros + difference);
  const [a1, a2] = polesOf(band);
  const gain = difference === 0 ? 0 : 128;
  for (let i = 6; i > 0; i -= 1) {
    const sameSign = at(d, i) >> 15 === difference >> 15;
    b[i] = saturate((sameSign ? gain : -gain) + ((at(b, i) * 32_640) >> 15));
  }
  for (let i = 6; i > 0; i -= 1) d[i] = at(d, i - 1);
  for (let i = 2; i > 0; i -= 1) {
    r[i] = at(r, i - 1);
    p[i] = at(p, i - 1);
  }
  a[1] = a1;
  a[2] = a2;
  const poles = saturate(((a1 * saturate(2 * at(r, 1))) >> 15) + ((a2 * saturate(2 * at(r, 2))) >> 15));
  let zeros = 0;
  for (let i = 6; i > 0; i -= 1) zeros += (at(b, i) * saturate(2 * at(d, i))) >> 15;
  band.zeros = saturate(zeros);
  band.predicted = saturate(poles + band.zeros);
}

/** UPPOL2 and UPPOL1: the coefficients of the pole section. */
function polesOf({ a, p }: Band): [a1: number, a2: number] {
  const [now, before, earlier] = [at(p, 0) >> 15, at(p, 1) >> 15, at(p, 2) >> 15];
  const first = saturate(at(a, 1) << 2);
  const turned = limit(now === before ? -first : first, -32_768, 32_767);
  const second = (turned >> 7) + (now === earlier ? 128 : -128) + ((at(a, 2) * 32_512) >> 15);
  const a2 = limit(second, -12_288, 12_288);
  const a1 = saturate((now === before ? 192 : -192) + ((at(a, 1) * 32_640) >> 15));
  const bound = saturate(15_360 - a2);
  return [limit(a1, -bound, bound), a2];
}
