import { audibleMs } from './signals.ts';

export type Wav = {
  sampleRate: number;
  channels: readonly Int16Array[];
  durationMs: number;
  /** How much of a span of a channel is louder than a whisper; beyond the ends there is silence. */
  audibleMs(channel: number, fromMs: number, toMs: number): number;
};

/**
 * Reads a file of 16-bit PCM by the definition of RIFF, without the code that writes recordings. Throws if its lengths are not those of the file,
 * or its fields contradict each other.
 */
export function readWav(bytes: Buffer): Wav {
  const textAt = (at: number): string => bytes.toString('latin1', at, at + 4);
  check(textAt(0) === 'RIFF' && textAt(8) === 'WAVE', 'it is no WAV file');
  check(bytes.readUInt32LE(4) === bytes.length - 8, `it has ${bytes.length} bytes`);
  const chunks = new Map<string, Buffer>();
  for (let at = 12; at < bytes.length; ) {
    const size = bytes.readUInt32LE(at + 4);
    check(at + 8 + size <= bytes.length, `the chunk ${textAt(at)} is longer than the file`);
    chunks.set(textAt(at), bytes.subarray(at + 8, at + 8 + size));
    at += 8 + size + (size % 2);
  }
  const [format, data] = [chunks.get('fmt '), chunks.get('data')];
  if (!format || !data) throw new Error('A chunk of the WAV file is missing');
  const [coding, count, bits] = [0, 2, 14].map((at) => format.readUInt16LE(at)) as [number, number, number];
  const sampleRate = format.readUInt32LE(4);
  const frameBytes = 2 * count;
  check(coding === 1 && bits === 16, 'it is not 16-bit PCM');
  check(format.readUInt16LE(12) === frameBytes, 'the size of its frames is wrong');
  check(format.readUInt32LE(8) === sampleRate * frameBytes, 'its bytes per second are wrong');
  check(data.length % frameBytes === 0, 'its last frame is incomplete');
  const frames = data.length / frameBytes;
  const channels = Array.from({ length: count }, (_, channel) =>
    Int16Array.from({ length: frames }, (__, n) => data.readInt16LE(n * frameBytes + 2 * channel)),
  );
  const position = (ms: number): number => Math.max(0, Math.round((ms * sampleRate) / 1_000));
  return {
    sampleRate,
    channels,
    durationMs: (frames * 1_000) / sampleRate,
    audibleMs: (channel, fromMs, toMs) =>
      audibleMs(
        (channels[channel] ?? new Int16Array()).subarray(position(fromMs), position(toMs)),
        sampleRate,
      ),
  };
}

function check(isRight: boolean, complaint: string): void {
  if (!isRight) throw new Error(`Wrong WAV file: ${complaint}`);
}
