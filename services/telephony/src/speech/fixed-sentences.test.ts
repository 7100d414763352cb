import { describe, expect, it } from '@jest/globals';
import { apologyIn, consultationIn, repeatPleaseIn, silencePromptIn, verdictIn } from './fixed-sentences.ts';
import { FIXED_SENTENCES } from './fixed-sentences-by-language.ts';

// cspell:disable
describe('fixed sentences [calls.20] [calls.26]', () => {
  it.each([
    ['it-IT', 'È ancora in linea?', 'Mi dispiace'],
    ['IT', 'È ancora in linea?', 'Mi dispiace'],
    ['pt-BR', 'Ainda está aí?', 'Lamento'],
    ['nl-NL', 'Bent u er nog?', 'Het spijt me'],
    ['no', 'Er du der fortsatt?', 'Beklager'],
    ['ja-JP', 'もしもし、聞こえますか。', '申し訳'],
    ['fil-PH', 'Are you still there?', 'I am sorry'],
    ['en-GB', 'Are you still there?', 'I am sorry'],
  ])('are in the language %s', (language, silence, sorry) => {
    expect(silencePromptIn(language)).toBe(silence);
    expect(apologyIn(language)).toMatch(new RegExp(`^${sorry}`));
    expect(repeatPleaseIn(language)).toMatch(new RegExp(`^${sorry}`));
  });

  it('exist in each language that the platform lists', () => {
    const listed = 'en de fr es it pt nl pl sv da nb fi cs tr uk ru ar he hi ja ko zh'.split(' ');
    expect(Object.keys(FIXED_SENTENCES).sort()).toEqual(listed.sort());
    const sentencesIn = (language: string): string[] => [
      silencePromptIn(language),
      apologyIn(language),
      repeatPleaseIn(language),
      ...(FIXED_SENTENCES[language]?.consultation ?? []),
    ];
    const english = sentencesIn('en');
    for (const language of listed.filter((each) => each !== 'en'))
      for (const [n, sentence] of sentencesIn(language).entries()) {
        expect(sentence).not.toBe('');
        expect([language, sentence]).not.toEqual([language, english[n]]);
      }
  });
});

describe('the consultation of a warm transfer [sip.16]', () => {
  it('names the caller digit by digit', () => {
    expect(consultationIn('it-IT', '+39 02 55')).toBe(
      "C'è una chiamata per lei da 3 9 0 2 5 5. Prema 1 o dica sì per accettarla, 2 o no per rifiutarla.",
    );
  });

  it.each(Object.keys(FIXED_SENTENCES))('understands in %s the words that it asks for', (language) => {
    const { yes, no } = FIXED_SENTENCES[language] ?? { yes: [], no: [] };
    for (const word of yes) expect([word, verdictIn(language, `${word}!`)]).toEqual([word, true]);
    for (const word of no) expect([word, verdictIn(language, `${word}.`)]).toEqual([word, false]);
    expect(verdictIn(language, '123')).toBeUndefined();
  });

  it.each([
    ['it-IT', 'Sì, grazie', true],
    ['it-IT', 'nord', undefined],
    ['es-ES', 'sí', true],
    ['es-ES', 'nosotros', undefined],
    ['en-US', 'I know', undefined],
    ['fi-FI', 'ei kiitos', false],
    ['zh-CN', '你好', undefined],
    ['zh-CN', '你是谁', undefined],
    ['zh-CN', '喂，好的', true],
    ['zh-CN', '可以，请接', true],
    ['zh-CN', '不可以', false],
    ['zh-CN', '不用了，谢谢', false],
    ['ja-JP', 'ええと', undefined],
    ['ja-JP', 'ええと、はい', true],
    ['ja-JP', 'はい、お願いします', true],
    ['ja-JP', 'お断りします', false],
    ['ja-JP', 'いえ結構です', false],
  ])('in %s takes "%s" as %s', (language, words, verdict) => {
    expect(verdictIn(language, words)).toBe(verdict);
  });
});
