import { open } from 'node:fs/promises';

// A WAV file of 16-bit PCM. Its header contains the length, which is unknown during the call: until the file is closed both lengths
// are the largest possible, which players interpret as "up to the end of the file".

export const HEADER_BYTES = 44;
const BYTES_PER_SAMPLE = 2;
const UNKNOWN = 0xffff_ffff;
const RIFF_OVERHEAD = HEADER_BYTES - 8;
const PCM = 1;

export type WavFormat = { sampleRate: number; channels: number };

/** Header of a file with `dataBytes` of audio; undefined: of a file that is still being written. */
export function wavHeader({ sampleRate, channels }: WavFormat, dataBytes?: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  const frameBytes = channels * BYTES_PER_SAMPLE;
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(dataBytes === undefined ? UNKNOWN : Math.min(UNKNOWN, dataBytes + RIFF_OVERHEAD), 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(PCM, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * frameBytes, 28);
  header.writeUInt16LE(frameBytes, 32);
  header.writeUInt16LE(BYTES_PER_SAMPLE * 8, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(dataBytes === undefined ? UNKNOWN : Math.min(UNKNOWN, dataBytes), 40);
  return header;
}

/** Format of a header from `wavHeader`. Throws for any other header. */
export function readWavHeader(header: Uint8Array): WavFormat {
  const buffer = Buffer.from(header.buffer, header.byteOffset, header.byteLength);
  const isOurs =
    buffer.length >= HEADER_BYTES &&
    buffer.toString('latin1', 0, 4) === 'RIFF' &&
    buffer.toString('latin1', 8, 16) === 'WAVEfmt ' &&
    buffer.readUInt16LE(20) === PCM &&
    buffer.readUInt16LE(34) === BYTES_PER_SAMPLE * 8 &&
    buffer.toString('latin1', 36, 40) === 'data';
  if (!isOurs) throw new Error('Not a recording of this platform: expected WAV with 16-bit PCM');
  return { sampleRate: buffer.readUInt32LE(24), channels: buffer.readUInt16LE(22) };
}

/**
 * Completes a recording whose process ended without closing it: cuts off an incomplete sample and writes the length into the header. Has no effect
 * on a complete one. Rejects if the file doesn't exist or isn't a recording.
 */
export async function repairRecording(path: string): Promise<WavFormat & { durationMs: number }> {
  const file = await open(path, 'r+');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    await file.read(header, 0, HEADER_BYTES, 0);
    const format = readWavHeader(header);
    const { size } = await file.stat();
    const frameBytes = format.channels * BYTES_PER_SAMPLE;
    const frames = Math.floor((size - HEADER_BYTES) / frameBytes);
    const dataBytes = frames * frameBytes;
    if (size !== HEADER_BYTES + dataBytes) await file.truncate(HEADER_BYTES + dataBytes);
    await file.write(wavHeader(format, dataBytes), 0, HEADER_BYTES, 0);
    return { ...format, durationMs: (frames * 1_000) / format.sampleRate };
  } finally {
    await file.close();
  }
}
