import { describe, expect, it } from '@jest/globals';
import { isBackchannel, isUnfinished } from './phrases.ts';

// cspell:disable
describe('isBackchannel', () => {
  it.each([
    ['Mhm.', 'en-US'],
    ['yes', 'en-GB'],
    ['Okay, right, I see.', 'en-US'],
    ['uh-huh', 'en-US'],
    ['ja genau', 'de-DE'],
    ["D'accord.", 'fr-FR'],
    ['Sí, claro', 'es-MX'],
    ['yeah', 'pl-PL'],
  ])('is %s', (text, language) => expect(isBackchannel(text, language)).toBe(true));

  it.each([
    ['', 'en-US'],
    ['stop', 'en-US'],
    ['yes but not today', 'en-US'],
    ['no', 'en-US'],
    ['rightly so', 'en-US'],
    ['nein', 'de-DE'],
  ])('is not "%s"', (text, language) => expect(isBackchannel(text, language)).toBe(false));
});

describe('isUnfinished', () => {
  it.each([
    ['I need a table and', 'en-US'],
    ['well,', 'en-US'],
    ['my number is', 'en-US'],
    ['I was thinking ...', 'en-US'],
    ['ich hätte gerne einen', 'de-DE'],
  ])('is %s', (text, language) => expect(isUnfinished(text, language)).toBe(true));

  it.each([
    ['I need a table.', 'en-US'],
    ['A table', 'en-US'],
    ['so', 'en-US'],
    ['That is what I asked for.', 'en-US'],
    ['', 'en-US'],
  ])('is not "%s"', (text, language) => expect(isUnfinished(text, language)).toBe(false));
});
