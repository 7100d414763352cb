import { describe, expect, it } from '@jest/globals';
import { createUnreachable } from './unreachable.ts';

describe('unreachable assistants', () => {
  it('are skipped for longer with each failure, up to five seconds, until they respond', () => {
    let nowMs = 0;
    const unreachable = createUnreachable(() => nowMs);
    const leftAloneMs = (): number => {
      unreachable.failed('a');
      const sinceMs = nowMs;
      while (unreachable.current().includes('a')) nowMs += 10;
      return nowMs - sinceMs;
    };
    expect([1, 2, 3, 4, 5, 6, 7].map(leftAloneMs)).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000]);
    unreachable.answered('a');
    expect(leftAloneMs()).toBe(250);
  });

  it('are not remembered for ever', () => {
    const unreachable = createUnreachable(() => 0);
    for (let i = 0; i < 1_005; i += 1) unreachable.failed(`${i}`);
    expect(unreachable.current()).toHaveLength(1_000);
    expect(unreachable.current()).not.toContain('0');
  });
});
