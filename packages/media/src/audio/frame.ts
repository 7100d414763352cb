/** Duration of a frame. */
export const FRAME_MS = 20;

/**
 * Source of the samples of a received frame: the far end, concealment of lost packets, or none (the far end is
 * silent, or hasn't sent anything yet).
 */
export type FrameSource = 'audio' | 'concealed' | 'silence';

/** 20 ms of 16-bit mono PCM. The receiver of a frame owns its samples: nothing writes to them later. */
export type AudioFrame = {
  readonly samples: Int16Array;
  /** Samples per second. */
  readonly sampleRate: number;
  /**
   * Time of the first sample in milliseconds of the injected clock. For received audio: when the packet arrived, or would have
   * arrived without jitter. For sent audio: when it was handed to the network.
   */
  readonly atMs: number;
  readonly source: FrameSource;
};

/** Samples in `ms` milliseconds, rounded. */
export function samplesIn(ms: number, sampleRate: number): number {
  return Math.round((ms * sampleRate) / 1_000);
}

/** Duration of `samples` in milliseconds. */
export function msOf(samples: number, sampleRate: number): number {
  return (samples * 1_000) / sampleRate;
}

/** Limits a number to the range of 16-bit samples and rounds it. */
export function toSample(value: number): number {
  return value > 32_767 ? 32_767 : value < -32_768 ? -32_768 : Math.round(value);
}

/** Adds `from` to `into`, sample by sample, limited to 16 bits. */
export function mixInto(into: Int16Array, from: Int16Array): void {
  const length = Math.min(into.length, from.length);
  for (let i = 0; i < length; i += 1) into[i] = toSample((into[i] ?? 0) + (from[i] ?? 0));
}

/** Level of samples in dB relative to a full-scale square wave: 0 is the loudest; silence is -Infinity. */
export function levelDb(samples: Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return 10 * Math.log10(sum / Math.max(1, samples.length) / 32_768 ** 2);
}

/** One array of all blocks. */
export function concatenate(blocks: readonly Int16Array[]): Int16Array {
  const output = new Int16Array(blocks.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const block of blocks) {
    output.set(block, offset);
    offset += block.length;
  }
  return output;
}
