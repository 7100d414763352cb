import { describe, expect, it } from '@jest/globals';
import { isBackchannel, isUnfinished } from './phrases.ts';
import { PHRASES } from './phrases-by-language.ts';

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
    ['yeah', 'hu-HU'],
    ['yeah', 'fil-PH'],
    ['yes', 'constructor'],
    ['d\u2019accord', 'fr-CA'],
    ['Sì.', 'it-IT'],
    ['Si\u0300, va bene', 'it'],
    ['Tá bom', 'pt-BR'],
    ['Ja, prima', 'nl-NL'],
    ['no tak', 'pl-PL'],
    ['Ja, just det', 'sv-SE'],
    ['Ja, præcis', 'da-DK'],
    ['Jeg skjønner', 'no-NO'],
    ['Joo joo', 'fi-FI'],
    ['Jasně, dobře', 'cs-CZ'],
    ['İyi, tamam', 'tr-TR'],
    ['Так, зрозуміло', 'uk-UA'],
    ['Да-да, понятно', 'ru-RU'],
    ['نعم، حسنًا', 'ar-EG'],
    ['כן, הבנתי', 'he-IL'],
    ['जी हाँ, ठीक है', 'hi-IN'],
    ['はい、そうですね', 'ja-JP'],
    ['うんうん', 'ja-JP'],
    ['네, 알겠습니다', 'ko-KR'],
    ['对对对', 'zh-CN'],
    ['嗯，好的', 'zh-TW'],
  ])('is %s', (text, language) => expect(isBackchannel(text, language)).toBe(true));

  it.each([
    ['', 'en-US'],
    ['stop', 'en-US'],
    ['yes but not today', 'en-US'],
    ['no', 'en-US'],
    ['rightly so', 'en-US'],
    ['nein', 'de-DE'],
    ['sì, ma domani', 'it-IT'],
    ['não', 'pt-PT'],
    ['niin mutta', 'fi-FI'],
    ['да нет', 'ru-RU'],
    ['नहीं', 'hi-IN'],
    ['हाँ लेकिन', 'hi-IN'],
    ['はいりません', 'ja-JP'],
    ['そうじゃない', 'ja-JP'],
    ['아니요', 'ko-KR'],
    ['对不起', 'zh-CN'],
    ['不好', 'zh-CN'],
    ['yeah', 'pl-PL'],
  ])('is not "%s"', (text, language) => expect(isBackchannel(text, language)).toBe(false));

  it('has a list for each language in which the platform speaks its fixed sentences', () => {
    const listed = 'en de fr es it pt nl pl sv da nb fi cs tr uk ru ar he hi ja ko zh'.split(' ');
    expect(Object.keys(PHRASES).sort()).toEqual(listed.sort());
    for (const [language, { backchannels }] of Object.entries(PHRASES))
      for (const phrase of backchannels)
        expect([language, phrase, isBackchannel(phrase, language)]).toEqual([language, phrase, true]);
  });
});

describe('isUnfinished', () => {
  it.each([
    ['I need a table and', 'en-US'],
    ['well,', 'en-US'],
    ['my number is', 'en-US'],
    ['I was thinking ...', 'en-US'],
    ['ich hätte gerne einen', 'de-DE'],
    ['vorrei un tavolo per', 'it-IT'],
    ['я хочу столик и', 'ru-RU'],
    ['二人で、', 'ja-JP'],
  ])('is %s', (text, language) => expect(isUnfinished(text, language)).toBe(true));

  it.each([
    ['I need a table.', 'en-US'],
    ['A table', 'en-US'],
    ['so', 'en-US'],
    ['That is what I asked for.', 'en-US'],
    ['テーブルを お願いします。', 'ja-JP'],
    ['', 'en-US'],
  ])('is not "%s"', (text, language) => expect(isUnfinished(text, language)).toBe(false));
});
