import { describe, expect, it } from '@jest/globals';
import { guessColumns, hasTitles, titlesOf } from './contact-columns.ts';

const ROWS = [
  ['Mobile', 'Name', 'Order-Number', 'Notes'],
  ['+1 415 555 0101', 'Grace', '70001', ''],
  ['+1 415 555 0102', 'Linus', '70002', ''],
];

describe('titles of a list', () => {
  it('are its first row, unless that has a phone number', () => {
    expect(hasTitles(ROWS)).toBe(true);
    expect(hasTitles(ROWS.slice(1))).toBe(false);
    expect(titlesOf(ROWS.slice(1), false)).toEqual(['Column 1', 'Column 2', 'Column 3', 'Column 4']);
  });

  it('are unique, also where the list repeats or omits them', () => {
    expect(titlesOf([['a', '', 'a']], true)).toEqual(['a', 'Column 2', 'a 2']);
  });
});

describe('guessColumns', () => {
  it('finds the number, the name and the placeholders of the assistant', () => {
    expect(guessColumns(ROWS[0] ?? [], ROWS.slice(1), ['order_number'])).toEqual([
      { use: 'phone' },
      { use: 'name' },
      { use: 'variable', name: 'order_number' },
      { use: 'ignore' },
    ]);
  });

  it('prefers a column of numbers over one that is only called so', () => {
    const uses = guessColumns(['Number', 'B'], [['7', '+4930123456']], []);
    expect(uses[1]).toEqual({ use: 'phone' });
  });
});
