import { describe, expect, it } from '@jest/globals';
import { shareOf, tone } from '../testing/signals.ts';
import { concatenate, levelDb } from './frame.ts';
import { createResampler } from './resample.ts';

const PAIRS = [
  [8_000, 16_000],
  [16_000, 8_000],
  [8_000, 48_000],
  [48_000, 8_000],
  [24_000, 8_000],
  [16_000, 24_000],
  [44_100, 16_000],
  [22_050, 8_000],
] as const;

describe('createResampler', () => {
  it.each(PAIRS)('%i → %i: keeps a tone of speech and its level', (from, to) => {
    const input = tone(1_000, 500, from, 10_000);
    const output = createResampler(from, to).process(input);
    const settled = output.subarray(to / 10);
    const noise = 1 - shareOf(1_000, settled.subarray(0, to / 5), to);
    expect(noise).toBeLessThan(1e-4);
    expect(Math.abs(levelDb(settled) - levelDb(input))).toBeLessThan(0.1);
  });

  it('removes what the lower rate cannot represent', () => {
    const output = createResampler(48_000, 8_000).process(tone(5_000, 500, 48_000, 20_000));
    expect(peakOf(output.subarray(800))).toBeLessThan(20);
  });

  it.each(PAIRS)('%i → %i: the same in blocks of any size, with the exact number of samples', (from, to) => {
    const input = tone(700, 400, from);
    const whole = createResampler(from, to).process(input);
    const resampler = createResampler(from, to);
    const blocks = [];
    for (let start = 0, size = 1; start < input.length; start += size, size = (size * 7 + 3) % 500) {
      blocks.push(resampler.process(input.subarray(start, start + size)));
    }
    expect([...concatenate(blocks)]).toEqual([...whole]);
    expect(Math.abs(whole.length - (input.length * to) / from)).toBeLessThan(1);
  });

  it('clips overshoots instead of wrapping', () => {
    const square = Int16Array.from({ length: 800 }, (_, n) => (n % 80 < 40 ? 32_767 : -32_768));
    const output = createResampler(8_000, 16_000).process(square).subarray(160);
    // A wrapped sample jumps over the whole range between neighbors inside a half-wave.
    for (let n = 20; n < 60; n += 1)
      expect(Math.sign(output[n + 48] ?? 0)).toBe(Math.sign(output[n + 208] ?? 0));
  });

  it('is the identity at equal rates, and refuses invalid rates', () => {
    const input = tone(440, 20, 8_000);
    expect(createResampler(8_000, 8_000).process(input)).toBe(input);
    expect(() => createResampler(0, 8_000)).toThrow(RangeError);
    expect(() => createResampler(8_000, 44_100.5)).toThrow(RangeError);
    expect(() => createResampler(8_000, 47_999)).toThrow(RangeError);
  });
});

function peakOf(samples: Int16Array): number {
  return samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);
}
