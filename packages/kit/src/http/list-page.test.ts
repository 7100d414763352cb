import { describe, expect, it } from '@jest/globals';
import { toListPage, toOffsetPage } from './list-page.ts';

describe('toListPage [general.13]', () => {
  it('points to the next page until the last one', () => {
    expect(toListPage({ page: 1, size: 2 }, { items: ['a', 'b'], total: 3 })).toEqual({
      items: ['a', 'b'],
      total: 3,
      nextCursor: '2',
    });
    expect(toListPage({ page: 2, size: 2 }, { items: ['c'], total: 3 }).nextCursor).toBeNull();
    expect(toListPage({ page: 1, size: 3 }, { items: ['a'], total: 3 }).nextCursor).toBeNull();
  });

  it('returns page 1 of an empty list', () => {
    expect(toListPage({ page: 1, size: 10 }, { items: [], total: 0 })).toEqual({
      items: [],
      total: 0,
      nextCursor: null,
    });
  });

  it.each([
    [2, 0],
    [3, 20],
  ])('refuses page %i of %i items', (page, total) => {
    expect(() => toListPage({ page, size: 10 }, { items: [], total })).toThrow(
      expect.objectContaining({ code: 'INTERNAL_ERROR' }),
    );
  });
});

describe('toOffsetPage [general.14]', () => {
  it.each<[number, string[], number, string | null]>([
    [0, ['a', 'b'], 3, '2'],
    [2, ['c'], 3, null],
    // Fewer items than `limit`, because the page has reached its maximum size.
    [1, ['b'], 3, '2'],
    // Items were deleted after they were counted.
    [2, [], 3, null],
    [9, [], 3, null],
  ])('of offset %i with %j of %i points to %s', (offset, items, total, nextCursor) => {
    expect(toOffsetPage({ offset }, { items, total })).toEqual({ items, total, nextCursor });
  });
});
