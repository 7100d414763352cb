import { describe, expect, it } from '@jest/globals';
import { createLeadIn } from './lead-in.ts';

const RATE = 16_000;
const MS = RATE / 1_000;
const silence = (ms: number): Int16Array => new Int16Array(ms * MS);
const sound = (ms: number): Int16Array => new Int16Array(ms * MS).fill(1_000);
const joined = (...parts: Int16Array[]): Int16Array => Int16Array.from(parts.flatMap((part) => [...part]));

/** The milliseconds that remain, with audio that arrives in blocks. */
function remaining(audio: Int16Array, blockMs: number): number {
  const cut = createLeadIn(RATE);
  let samples = 0;
  for (let start = 0; start < audio.length; start += blockMs * MS)
    samples += cut(audio.subarray(start, start + blockMs * MS)).length;
  return samples / MS;
}

describe('the silence before the first sound', () => {
  it.each([5, 20, 70, 1_000])('is cut to 40 ms, in blocks of %i ms', (blockMs) => {
    expect(remaining(joined(silence(220), sound(100), silence(300), sound(100)), blockMs)).toBe(540);
  });

  it('stays as it is when it is short', () => {
    expect(remaining(joined(silence(30), sound(100)), 20)).toBe(130);
    expect(remaining(sound(100), 20)).toBe(100);
  });

  it('is cut by half a second at most: a longer pause is intentional', () => {
    expect(remaining(joined(silence(2_000), sound(100)), 20)).toBe(1_600);
  });

  it('changes no sample of the rest', () => {
    const cut = createLeadIn(RATE);
    const rest = [...cut(silence(100)), ...cut(joined(silence(50), sound(10)))];
    expect(rest).toEqual([...silence(40), ...sound(10)]);
  });
});
