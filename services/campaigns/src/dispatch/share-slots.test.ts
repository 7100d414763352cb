import { describe, expect, it } from '@jest/globals';
import { afterLast, shareSlots } from './share-slots.ts';

describe('shareSlots', () => {
  it('shares evenly, the rest to those whose turn it is', () => {
    expect(shareSlots(7, 3)).toEqual([3, 2, 2]);
    expect(shareSlots(1, 2)).toEqual([1, 0]);
    expect(shareSlots(4, 1)).toEqual([4]);
  });
});

describe('afterLast', () => {
  const items = [{ id: 'a' }, { id: 'b' }, { id: 'c' }];
  const order = (last: string | null): string =>
    afterLast(items, last)
      .map(({ id }) => id)
      .join('');
  it('begins after the one whose turn was last, whether or not it is still there', () => {
    expect(order(null)).toBe('abc');
    expect(order('a')).toBe('bca');
    expect(order('c')).toBe('abc');
    expect(order('bb')).toBe('cab');
  });
});
