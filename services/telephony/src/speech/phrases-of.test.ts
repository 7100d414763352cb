import { describe, expect, it } from '@jest/globals';
import { phrasesOf } from './phrases-of.ts';

describe('likely phrases of a call', () => {
  it("are the assistant's keywords and the texts of the contact's variables", () => {
    const variables = { name: 'Ada Novak', city: 'Brno', age: 42, isCustomer: true, note: null, tags: ['x'] };
    expect(phrasesOf(['sencha', 'matcha'], variables)).toEqual(['sencha', 'matcha', 'Ada Novak', 'Brno']);
  });

  it('are neither empty nor longer than 60 characters', () => {
    expect(phrasesOf([' '], { empty: '', short: 'a'.repeat(60), long: 'a'.repeat(61) })).toEqual([
      'a'.repeat(60),
    ]);
  });

  it('are at most 50, keywords first', () => {
    const keywords = Array.from({ length: 49 }, (_, n) => `tea ${n}`);
    expect(phrasesOf(keywords, { name: 'Ada', city: 'Brno' })).toEqual([...keywords, 'Ada']);
  });
});
