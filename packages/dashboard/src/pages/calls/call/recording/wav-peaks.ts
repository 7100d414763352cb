/** How loud each part of a recording is, from 0 to 1, by channel. */
export type Peaks = { channels: number[][]; seconds: number };

type Format = { channels: number; rate: number; dataStart: number; dataBytes: number };

const HEADER_BYTES = 64 * 1024;
const PCM = 1;
const EXTENSIBLE = 0xfffe;
const BYTES_PER_SAMPLE = 2;

/**
 * Reads the peaks of a 16-bit WAV file while it arrives: a browser that decoded the whole file would need a gigabyte for an hour.
 * Undefined: another format.
 */
export async function readPeaks(
  body: ReadableStream<Uint8Array>,
  totalBytes: number,
  buckets: number,
): Promise<Peaks | undefined> {
  const reader = body.getReader();
  let head = new Uint8Array(0);
  let format: Format | undefined;
  let fold: Folding | undefined;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (fold) {
      fold.add(value);
      continue;
    }
    head = joined(head, value);
    format = readFormat(head, totalBytes);
    if (!format && head.length > HEADER_BYTES) {
      await reader.cancel();
      return undefined;
    }
    if (format) {
      fold = folding(format, buckets);
      fold.add(head.subarray(format.dataStart));
    }
  }
  if (!format || !fold) return undefined;
  const frameBytes = format.channels * BYTES_PER_SAMPLE;
  return { channels: fold.peaks(), seconds: format.dataBytes / frameBytes / format.rate };
}

/** The format once the header is complete. Unknown chunks before the samples are skipped. */
function readFormat(bytes: Uint8Array, totalBytes: number): Format | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const name = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
  if (bytes.length < 12 || name(0) !== 'RIFF' || name(8) !== 'WAVE') return undefined;
  let found: { channels: number; rate: number } | undefined;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const size = view.getUint32(at + 4, true);
    if (name(at) === 'fmt ' && at + 24 <= bytes.length) {
      const isPcm = [PCM, EXTENSIBLE].includes(view.getUint16(at + 8, true));
      if (!isPcm || view.getUint16(at + 22, true) !== BYTES_PER_SAMPLE * 8) return undefined;
      found = { channels: view.getUint16(at + 10, true), rate: view.getUint32(at + 12, true) };
    }
    if (name(at) === 'data' && found) {
      const dataStart = at + 8;
      // A file that was not finished, or is still written, gives no size.
      return { ...found, dataStart, dataBytes: Math.min(size, totalBytes - dataStart) };
    }
    at += 8 + size + (size % 2);
  }
  return undefined;
}

type Folding = { add(bytes: Uint8Array): void; peaks(): number[][] };

function folding({ channels, dataBytes }: Format, buckets: number): Folding {
  const frameBytes = channels * BYTES_PER_SAMPLE;
  const frames = Math.floor(dataBytes / frameBytes);
  const framesPerBucket = Math.max(1, Math.ceil(frames / buckets));
  const peaks = Array.from({ length: channels }, () => new Array<number>(buckets).fill(0));
  let frame = 0;
  let rest = new Uint8Array(0);
  return {
    add: (bytes) => {
      const all = rest.length > 0 ? joined(rest, bytes) : bytes;
      const view = new DataView(all.buffer, all.byteOffset, all.length);
      let at = 0;
      // Other chunks may follow the samples.
      for (; at + frameBytes <= all.length && frame < frames; at += frameBytes) {
        const bucket = Math.min(buckets - 1, Math.floor(frame / framesPerBucket));
        for (let channel = 0; channel < channels; channel += 1) {
          const level = Math.abs(view.getInt16(at + channel * BYTES_PER_SAMPLE, true)) / 32_768;
          const own = peaks[channel];
          if (own && level > (own[bucket] ?? 0)) own[bucket] = level;
        }
        frame += 1;
      }
      rest = frame < frames ? all.slice(at) : new Uint8Array(0);
    },
    peaks: () => peaks,
  };
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
