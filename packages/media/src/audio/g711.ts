// ITU-T G.711: 8 bits a sample at 8,000 samples a second, µ-law (PCMU) and A-law (PCMA). Both directions are table lookups.

const MU_BIAS = 132;
const MU_MAX = 32_635;
const MU_CODE_MASK = 0xff;
const A_CODE_MASK = 0x55;
const CODES = 256;
const SAMPLES = 65_536;

type Tables = { readonly encode: Uint8Array; readonly decode: Int16Array };

const muLaw = createTables(encodeMuLawSample, decodeMuLawSample);
const aLaw = createTables(encodeALawSample, decodeALawSample);

/** µ-law bytes of 16-bit samples, one byte each. */
export function encodeMuLaw(samples: Int16Array): Uint8Array {
  return encode(muLaw, samples);
}

/** 16-bit samples of µ-law bytes. Every byte is valid. */
export function decodeMuLaw(bytes: Uint8Array): Int16Array {
  return decode(muLaw, bytes);
}

/** A-law bytes of 16-bit samples, one byte each. */
export function encodeALaw(samples: Int16Array): Uint8Array {
  return encode(aLaw, samples);
}

/** 16-bit samples of A-law bytes. Every byte is valid. */
export function decodeALaw(bytes: Uint8Array): Int16Array {
  return decode(aLaw, bytes);
}

function encode(tables: Tables, samples: Int16Array): Uint8Array {
  const bytes = new Uint8Array(samples.length);
  for (let i = 0; i < samples.length; i += 1) bytes[i] = tables.encode[(samples[i] ?? 0) & 0xffff] ?? 0;
  return bytes;
}

function decode(tables: Tables, bytes: Uint8Array): Int16Array {
  const samples = new Int16Array(bytes.length);
  for (let i = 0; i < bytes.length; i += 1) samples[i] = tables.decode[bytes[i] ?? 0] ?? 0;
  return samples;
}

function createTables(toCode: (sample: number) => number, toSample: (code: number) => number): Tables {
  const tables = { encode: new Uint8Array(SAMPLES), decode: new Int16Array(CODES) };
  for (let n = 0; n < SAMPLES; n += 1) tables.encode[n] = toCode((n << 16) >> 16);
  for (let n = 0; n < CODES; n += 1) tables.decode[n] = toSample(n);
  return tables;
}

/** The top bit set of `magnitude` decides the segment: 0 below 2^(first + 1), at most 7. */
function segmentOf(magnitude: number, first: number): number {
  return Math.max(0, 31 - Math.clz32(magnitude) - first);
}

/** Negative samples are mirrored at -0.5, as in ITU-T G.191: both signs have the same number of values. */
function magnitudeOf(sample: number): number {
  return sample < 0 ? ~sample : sample;
}

function encodeMuLawSample(sample: number): number {
  const magnitude = Math.min(magnitudeOf(sample), MU_MAX) + MU_BIAS;
  const segment = segmentOf(magnitude, 7);
  const mantissa = (magnitude >> (segment + 3)) & 0x0f;
  return ((sample < 0 ? 0x80 : 0) | (segment << 4) | mantissa) ^ MU_CODE_MASK;
}

function decodeMuLawSample(code: number): number {
  const bits = code ^ MU_CODE_MASK;
  const segment = (bits >> 4) & 0x07;
  const magnitude = ((((bits & 0x0f) << 3) + MU_BIAS) << segment) - MU_BIAS;
  return bits & 0x80 ? -magnitude : magnitude;
}

function encodeALawSample(sample: number): number {
  const magnitude = magnitudeOf(sample);
  const segment = segmentOf(magnitude, 7);
  const mantissa = (magnitude >> (segment === 0 ? 4 : segment + 3)) & 0x0f;
  return ((sample < 0 ? 0 : 0x80) | (segment << 4) | mantissa) ^ A_CODE_MASK;
}

function decodeALawSample(code: number): number {
  const bits = code ^ A_CODE_MASK;
  const segment = (bits >> 4) & 0x07;
  const step = ((bits & 0x0f) << 4) + 8;
  const magnitude = segment === 0 ? step : (step + 0x100) << (segment - 1);
  return bits & 0x80 ? magnitude : -magnitude;
}
