import { describe, expect, it } from '@jest/globals';
import { readPeaks } from './wav-peaks.ts';

/** A stereo file of one second: the left channel is loud in its first half, the right one in its second. */
function recording(bits = 16): Uint8Array {
  const rate = 8_000;
  const bytes = Buffer.alloc(44 + 8 + rate * 4 + 40, 0x7f).fill(0, 0, 52 + rate * 4);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(2, 22);
  bytes.writeUInt32LE(rate, 24);
  bytes.writeUInt16LE(bits, 34);
  bytes.write('cue ', 36);
  bytes.write('data', 44);
  bytes.writeUInt32LE(rate * 4, 48);
  for (let i = 0; i < rate; i += 1) bytes.writeInt16LE(-16_384, 52 + i * 4 + (i < rate / 2 ? 0 : 2));
  return bytes;
}

const inParts = (bytes: Uint8Array, size: number) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.subarray(at, at + size));
      controller.close();
    },
  });

describe('readPeaks', () => {
  it.each([7, 1_000, 1_000_000])('reads both channels, however the file arrives (%d bytes)', async (size) => {
    const file = recording();
    const peaks = await readPeaks(inParts(file, size), file.length, 4);
    expect(peaks).toEqual({
      seconds: 1,
      channels: [
        [0.5, 0.5, 0, 0],
        [0, 0, 0.5, 0.5],
      ],
    });
  });

  it('leaves other formats to the browser', async () => {
    const file = recording(8);
    expect(await readPeaks(inParts(file, 500), file.length, 4)).toBeUndefined();
    expect(await readPeaks(inParts(new Uint8Array(100_000), 500), 100_000, 4)).toBeUndefined();
  });
});
