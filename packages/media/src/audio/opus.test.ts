import { afterEach, describe, expect, it } from '@jest/globals';
import { shareOf, tone } from '../testing/signals.ts';
import type { Codec } from './codec.ts';
import { concatenate } from './frame.ts';
import { createOpusCodec } from './opus.ts';

const RATE = 24_000;
const FRAME = 480;
let codec: Codec;
afterEach(() => codec.close());

describe('createOpusCodec', () => {
  it('carries speech sounds both ways', async () => {
    codec = await createOpusCodec();
    const output = concatenate(packetsOf(codec).map((packet) => codec.decode(packet)));
    expect(output).toHaveLength(25 * FRAME);
    expect(shareOf(300, output.subarray(5 * FRAME, 20 * FRAME), RATE)).toBeGreaterThan(0.9);
  });

  it('restores a lost packet from the next one', async () => {
    codec = await createOpusCodec({ lossPercent: 20, bitrate: 32_000 });
    const packets = packetsOf(codec);
    for (const packet of packets.slice(0, 15)) codec.decode(packet);
    const restored = codec.conceal(FRAME, packets[16]);
    expect(restored).toHaveLength(FRAME);
    expect(shareOf(300, restored, RATE)).toBeGreaterThan(0.8);
  });

  it('conceals any length', async () => {
    codec = await createOpusCodec();
    for (const packet of packetsOf(codec)) codec.decode(packet);
    for (const samples of [1, FRAME, 3 * FRAME + 7]) expect(codec.conceal(samples)).toHaveLength(samples);
  });

  it('throws for malformed packets and remains usable', async () => {
    codec = await createOpusCodec();
    const [packet = new Uint8Array()] = packetsOf(codec);
    for (const bytes of [new Uint8Array(), new Uint8Array(2_000), Uint8Array.of(0xff, 0xff, 0xff)]) {
      expect(() => codec.decode(bytes)).toThrow();
    }
    expect(codec.conceal(FRAME, Uint8Array.of(0xff, 0xff, 0xff))).toHaveLength(FRAME);
    expect(codec.decode(packet)).toHaveLength(FRAME);
  });
});

function packetsOf(encoder: Codec): Uint8Array[] {
  const signal = tone(300, 500, RATE);
  return Array.from({ length: 25 }, (_, n) => encoder.encode(signal.subarray(n * FRAME, (n + 1) * FRAME)));
}
