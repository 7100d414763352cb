import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { makeSnippet } from './make-snippet.ts';
import { wordsOf } from './words.ts';

const filler = (words: number): string => 'filler '.repeat(words);

describe('makeSnippet', () => {
  it('marks matched words in their own case and accents', () => {
    expect(makeSnippet('Our CAFÉ in Zürich, open daily.', new Set(['cafe', 'zurich']))).toBe(
      'Our **CAFÉ** in **Zürich**, open daily.',
    );
  });

  it('shows the part with the most different words, cut between words', () => {
    const text = `${filler(100)}open open open ${filler(100)}open on Sunday ${filler(100)}`;
    const snippet = makeSnippet(text, new Set(['open', 'sunday']));
    expect(snippet).toMatch(/^… (filler )+\*\*open\*\* on \*\*Sunday\*\*( filler)+ …$/);
    expect(snippet.length).toBeLessThan(300);
  });

  it('shows the beginning if the text contains no word of the query', () => {
    expect(makeSnippet(filler(100), new Set(['absent']))).toMatch(/^filler( filler)+ …$/);
  });

  it('marks overlapping pairs of characters as one', () => {
    expect(makeSnippet('日本の東京都です', new Set(['東京', '京都']))).toBe('日本の**東京都**です');
  });

  it('normalizes white space, and changes nothing else', () => {
    expect(makeSnippet('\n\n<b>Open</b>\n\t daily & late ', new Set(['open']))).toBe(
      '<b>**Open**</b> daily & late',
    );
  });

  it('returns a part of any text', () => {
    const plain = (text: string): string => text.replaceAll('**', '').replace(/\s+/g, ' ');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), fc.nat(), (raw, nth) => {
        const text = raw.replaceAll(/[*…]/g, '');
        const words = wordsOf(text).map(({ word }) => word);
        const found = new Set(words.filter((_, i) => (i + nth) % 3 === 0));
        const shown = plain(makeSnippet(text, found)).replace(/^… /, '').replace(/ …$/, '');
        expect(plain(text)).toContain(shown.trim());
      }),
    );
  });
});
