import { SAMPLE_RATE } from './voice.ts';

const HEAD_BYTES = 12;

/** The samples of a mono WAV file of 16 bits, resampled to 8,000 per second. */
export function readPcm(wav: Buffer): Int16Array {
  const format = chunk(wav, 'fmt ');
  const data = chunk(wav, 'data');
  if (!format || !data || format.readUInt16LE(2) !== 1 || format.readUInt16LE(14) !== 16)
    throw new Error('not a mono WAV file of 16 bits');
  const ratio = format.readUInt32LE(4) / SAMPLE_RATE;
  const samples = new Int16Array(Math.floor(data.length / 2 / ratio));
  for (let i = 0; i < samples.length; i += 1) {
    // Averaging the input samples of an output sample avoids aliasing.
    const first = Math.floor(i * ratio);
    const last = Math.max(first + 1, Math.floor((i + 1) * ratio));
    let sum = 0;
    for (let j = first; j < last; j += 1) sum += data.readInt16LE(j * 2);
    samples[i] = Math.round(sum / (last - first));
  }
  return samples;
}

/** The content of a chunk of a RIFF file; a length beyond the end of the file means the rest of the file. */
function chunk(wav: Buffer, id: string): Buffer | undefined {
  for (let at = HEAD_BYTES; at + 8 <= wav.length; ) {
    const length = wav.readUInt32LE(at + 4);
    if (wav.toString('latin1', at, at + 4) === id) return wav.subarray(at + 8, at + 8 + length);
    at += 8 + length + (length % 2);
  }
  return undefined;
}
