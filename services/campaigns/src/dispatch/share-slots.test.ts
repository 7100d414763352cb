import { describe, expect, it } from '@jest/globals';
import { afterLast, shareSlots } from './share-slots.ts';

describe('shareSlots', () => {
  it('shares evenly, and gives the remainder in turn', () => {
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
  it('starts after the last one served, even if it no longer exists', () => {
    expect(order(null)).toBe('abc');
    expect(order('a')).toBe('bca');
    expect(order('c')).toBe('abc');
    expect(order('bb')).toBe('cab');
  });
});
