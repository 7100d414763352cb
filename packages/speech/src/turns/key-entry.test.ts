import { describe, expect, it } from '@jest/globals';
import type { MediaClock } from '@parley/media';
import { createKeyEntry, type KeyEntry } from './key-entry.ts';

describe('an entry of keys', () => {
  it('has at most 200; further ones do not prolong it', () => {
    let isDue = (): void => {};
    let timers = 0;
    const clock = {
      nowMs: () => 0,
      timer: (_: number, due: () => void) => {
        timers += 1;
        isDue = due;
        return () => {};
      },
    } as unknown as MediaClock;
    const entries: KeyEntry[] = [];
    const entry = createKeyEntry({ clock, interDigitMs: 1_000, onEntry: (one) => void entries.push(one) });
    for (let n = 0; n < 1_000; n += 1) entry.press('5');
    expect(timers).toBe(200);
    isDue();
    for (let n = 0; n < 1_000; n += 1) entry.press('6');
    entry.press('#');
    expect(entries.map(({ keys }) => keys)).toEqual(['5'.repeat(200), '6'.repeat(200)]);
  });
});
