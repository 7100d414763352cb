import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { wordsOf } from './words.ts';

const words = (text: string): string[] => wordsOf(text).map(({ word }) => word);

describe('wordsOf', () => {
  it.each([
    ['Do you open on Monday/Tuesday?', ['do', 'you', 'open', 'on', 'monday', 'tuesday']],
    ["O'Brien's e-mail: a.b@example.com", ['o', 'brien', 's', 'e', 'mail', 'a', 'b', 'example', 'com']],
    ['Öffnungszeiten für CAFÉ Ångström', ['offnungszeiten', 'fur', 'cafe', 'angstrom']],
    ['ПОЁТ, Ἀθῆναι', ['поет', 'αθηναι']],
    ['$1,299.00 (-20%)', ['1', '299', '00', '20']],
    ['ﬁnance ＡＢＣ', ['finance', 'abc']],
    ['नमस्ते दुनिया', ['नमस्ते', 'दुनिया']],
    ["' | & ! ( :* \\ <->", []],
    ['', []],
  ])('reads %j', (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  it('indexes each pair of neighbors in scripts without spaces, and a single character as it is', () => {
    expect(words('東京都の水 A水')).toEqual(['東京', '京都', '都の', 'の水', 'a', '水']);
    expect(words('서울에서')).toEqual(['서울', '울에', '에서']);
    expect(words('𠮷野家')).toEqual(['𠮷野', '野家']);
  });

  it('truncates overlong words', () => {
    expect(words('x'.repeat(5000))).toEqual(['x'.repeat(64)]);
  });

  it('returns the position of each word', () => {
    for (const text of ['An Ångström, twice', '東京 x']) {
      for (const { word, start, end } of wordsOf(text)) expect(words(text.slice(start, end))).toEqual([word]);
    }
  });

  it('does not treat Chinese and Japanese punctuation as letters', () => {
    expect(words('営業中。今日、東京・大阪')).toEqual(['営業', '業中', '今日', '東京', '大阪']);
    expect(words('㈠ ⺀ ½')).toEqual(['一', '12']);
  });

  it('finds only letters, digits and their marks among all characters', () => {
    const others: string[] = [];
    for (let block = 0; block <= 0x10ffff; block += 256) {
      const points = Array.from({ length: 256 }, (_, i) => String.fromCodePoint(block + i));
      others.push(...words(points.join(' ')).filter((word) => !/^[\p{L}\p{N}\p{M}]+$/u.test(word)));
    }
    expect(others).toEqual([]);
  });

  it('finds only letters, digits and their marks in random text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const word of words(text)) expect(word).toMatch(/^[\p{L}\p{N}\p{M}]+$/u);
      }),
    );
  });
});
