import { describe, expect, it } from '@jest/globals';
import { sentencesOf } from './sentences.ts';

async function cut(text: string | string[]): Promise<string[]> {
  const pieces: string[] = [];
  const stream = async function* () {
    yield* text;
  };
  for await (const piece of sentencesOf(typeof text === 'string' ? text : stream())) pieces.push(piece);
  return pieces;
}

describe('sentencesOf', () => {
  it('splits after sentences, and the concatenated pieces are the text', async () => {
    const text = 'Hello there! How are you?  "Fine," he said. It costs 3.50 euros…';
    const pieces = await cut(text);
    expect(pieces).toEqual(['Hello there! ', 'How are you?  ', '"Fine," he said. ', 'It costs 3.50 euros…']);
    expect(pieces.join('')).toBe(text);
  });

  it('does not split after abbreviations, initials and ordinals', async () => {
    expect(await cut('Dr. Miller and J. Smith come on the 3. of May, i.e. soon. Bye.')).toEqual([
      'Dr. Miller and J. Smith come on the 3. of May, i.e. soon. ',
      'Bye.',
    ]);
  });

  it('splits a long first sentence at a clause, so that its audio arrives early', async () => {
    const text =
      'Of course I can help you with that today, but first I need your name and your date of birth. Go on.';
    expect(await cut(text)).toEqual([
      'Of course I can help you with that today, ',
      'but first I need your name and your date of birth. ',
      'Go on.',
    ]);
  });

  it('returns the same pieces for a stream of single characters', async () => {
    const text = 'One. Two, three.\nFour?! Five';
    expect(await cut([...text])).toEqual(['One. ', 'Two, three.\n', 'Four?! ', 'Five']);
  });

  it('splits text without marks at a space, and Japanese at its own marks', async () => {
    const pieces = await cut('word '.repeat(100));
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(301);
    expect(pieces.every((piece) => piece.endsWith('word '))).toBe(true);
    expect(await cut('はい。わかりました。')).toEqual(['はい。', 'わかりました。']);
  });

  it('cuts a text without sentences into bounded pieces, whole or in parts', async () => {
    const endless = 'one two, three: four '.repeat(12_000);
    for (const given of [endless, [endless], [endless.slice(0, 100_000), endless.slice(100_000)]]) {
      const pieces = await cut(given);
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(301);
      expect(pieces.join('')).toBe(endless);
    }
    const astral = await cut('\u{1d49c}'.repeat(1_000));
    expect(astral.filter((piece) => /[\ud800-\udbff]$/.test(piece))).toEqual([]);
  });

  it.each([
    ['a sentence', 'word '],
    ['abbreviations', 'a. '],
    ['abbreviations without blanks', 'a.'],
    ['marks', '.'],
    ['marks and blanks', '! '],
    ['quotes', '."'],
    ['blanks', ' '],
    ['clauses', 'a, '],
    ['line ends', '\n'],
  ])('needs time in proportion to the length: %s', async (_, repeated) => {
    const text = repeated.repeat(250_000 / repeated.length);
    const began = performance.now();
    const pieces = await cut(text);
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(pieces.join('')).toBe(text);
  });
});
