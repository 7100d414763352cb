import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { splitText } from './split-text.ts';

const sentence = (n: number): string => `This is sentence number ${n} of some text. `;
const prose = (sentences: number): string =>
  Array.from({ length: sentences }, (_, i) => sentence(i)).join('');

describe('splitText', () => {
  it('does not split a short text', () => {
    expect(splitText('Short.\n\nAnd two paragraphs.')).toEqual(['Short.\n\nAnd two paragraphs.']);
  });

  it('splits after a paragraph, and not after a heading', () => {
    const [one, two] = [`Heading\n\n${prose(15)}\n\n`, `${prose(20)}\n`];
    expect(splitText(one + two)).toEqual([one, two]);
  });

  it('splits a long paragraph after a sentence, and a long sentence after a word', () => {
    for (const part of splitText(prose(200)).slice(0, -1)) expect(part).toMatch(/\. $/);
    for (const part of splitText('word '.repeat(2000)).slice(0, -1)) expect(part).toMatch(/word $/);
  });

  it('splits text without words anywhere except inside a character', () => {
    const parts = splitText('😀'.repeat(3000));
    expect(parts.join('')).toBe('😀'.repeat(3000));
    for (const part of parts) expect(part).toMatch(/^(?:😀)+$/u);
  });

  it('creates passages of about 1,000 characters from any text, without losing any', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc.constantFrom('\n\n', '\n', '. ', ' ', 'x'.repeat(1500), '。', '\r\n\r\n'),
      fc.nat(60).map(prose),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');
        const parts = splitText(text);
        expect(parts.join('')).toBe(text);
        for (const part of parts) expect(part.length).toBeLessThanOrEqual(1200);
        for (const part of parts.slice(0, -1)) expect(part.length).toBeGreaterThanOrEqual(300);
      }),
    );
  });

  it('splits a megabyte without delay', () => {
    for (const text of [
      'x'.repeat(1_000_000),
      ' '.repeat(1_000_000),
      '\n'.repeat(1_000_000),
      '.'.repeat(1_000_000),
    ]) {
      const startMs = performance.now();
      expect(splitText(text).length).toBeLessThan(4_000);
      expect(performance.now() - startMs).toBeLessThan(3_000);
    }
  });
});
