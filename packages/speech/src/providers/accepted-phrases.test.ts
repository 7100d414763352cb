import { describe, expect, it } from '@jest/globals';
import { acceptedPhrases } from './accepted-phrases.ts';

describe('the phrases that a provider accepts [assistants.21]', () => {
  const phrases = ['Ada', 'a very long name', 'tea', 'matcha', 'oolong'];

  it.each([
    ['the first ones', { count: 2 }, ['Ada', 'a very long name']],
    ['none that are too long', { count: 2, characters: 6 }, ['Ada', 'tea']],
    ['as many as fit together', { count: 5, totalCharacters: 12 }, ['Ada', 'tea', 'matcha']],
    ['all, without a limit that they reach', { count: 5 }, phrases],
  ])('are %s', (_, limits, accepted) => {
    expect(acceptedPhrases(phrases, limits)).toEqual(accepted);
  });
});
