import { describe, expect, it } from '@jest/globals';
import { numbersIn } from './numbers-in.ts';

describe('typed numbers', () => {
  it('are separated by lines, commas and semicolons, and may contain spaces', () => {
    expect(numbersIn('+1 (415) 555-0123\n+49 30 1234567, +4930765432;\n\n+14155550123')).toEqual([
      '+14155550123',
      '+49301234567',
      '+4930765432',
    ]);
    expect(numbersIn(' \n , ')).toEqual([]);
  });
});
