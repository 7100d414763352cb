import { describe, expect, it } from '@jest/globals';
import { COUNTRY_CODES } from './country-codes.ts';

describe('COUNTRY_CODES', () => {
  it('has every code once, with a name, in the order of the countries', () => {
    const [none, ...countries] = COUNTRY_CODES;
    expect(none?.[0]).toBe('');
    for (const [code, label] of countries) {
      expect(code).toMatch(/^\+[1-9]\d{0,2}$/);
      expect(label).toMatch(/^\+\d+ \p{Lu}\p{L}/u);
    }
    expect(new Set(countries.map(([code]) => code)).size).toBe(countries.length);
    const names = countries.map(([code, label]) => label.slice(code.length + 1));
    expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b, 'en')));
    for (const code of ['+39', '+52', '+86', '+90', '+1', '+44', '+225', '+380'])
      expect(countries.map(([known]) => known)).toContain(code);
  });
});
