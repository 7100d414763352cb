import { describe, expect, it } from '@jest/globals';
import { decodeALaw, decodeMuLaw, encodeALaw, encodeMuLaw } from './g711.ts';

const ALL_BYTES = Uint8Array.from({ length: 256 }, (_, n) => n);
const ALL_SAMPLES = Int16Array.from({ length: 65_536 }, (_, n) => n - 32_768);

describe('G.711', () => {
  it('decodes the values of ITU-T G.711', () => {
    expect([...decodeMuLaw(Uint8Array.of(0x00, 0x7f, 0x80, 0xff, 0x8f))]).toEqual([
      -32_124, 0, 32_124, 0, 16_764,
    ]);
    expect([...decodeALaw(Uint8Array.of(0xd5, 0x55, 0xaa, 0x2a))]).toEqual([8, -8, 32_256, -32_256]);
  });

  it('round-trips each code, except µ-law negative zero', () => {
    expect([...encodeALaw(decodeALaw(ALL_BYTES))]).toEqual([...ALL_BYTES]);
    const codes = [...encodeMuLaw(decodeMuLaw(ALL_BYTES))];
    expect(codes.filter((code, n) => code !== n)).toEqual([0xff]);
  });

  it.each([
    ['µ-law', encodeMuLaw, decodeMuLaw, 644],
    ['A-law', encodeALaw, decodeALaw, 512],
  ] as const)('%s: the error is at most half a step and grows with the level', (_, encode, decode, max) => {
    const decoded = decode(encode(ALL_SAMPLES));
    const errors = ALL_SAMPLES.map((sample, n) => Math.abs(sample - (decoded[n] ?? 0)));
    expect(Math.max(...errors)).toBeLessThanOrEqual(max);
    expect(Math.max(...errors.subarray(32_768 - 100, 32_768 + 100))).toBeLessThanOrEqual(8);
  });
});
