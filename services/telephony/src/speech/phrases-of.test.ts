import { describe, expect, it } from '@jest/globals';
import { phrasesOf } from './phrases-of.ts';

describe('likely phrases of a call [assistants.21]', () => {
  it("are the assistant's keywords and the texts of the contact's variables", () => {
    const variables = { name: 'Ada Novak', city: 'Brno', age: 42, isCustomer: true, note: null, tags: ['x'] };
    expect(phrasesOf(['sencha', 'matcha'], variables)).toEqual(['Ada Novak', 'Brno', 'sencha', 'matcha']);
  });

  it('are neither empty nor longer than 100 characters', () => {
    const variables = { empty: '', short: 'a'.repeat(100), long: 'a'.repeat(101) };
    expect(phrasesOf([' '], variables)).toEqual(['a'.repeat(100)]);
  });

  it('are all keywords that an assistant may have, after ten values of the contact and before the others', () => {
    const keywords = Array.from({ length: 100 }, (_, n) => `${n} `.padEnd(100, 'tea'));
    const values = Array.from({ length: 12 }, (_, n) => `value ${n}`);
    expect(phrasesOf(keywords, { ...values })).toEqual([
      ...values.slice(0, 10),
      ...keywords,
      ...values.slice(10),
    ]);
  });
});
