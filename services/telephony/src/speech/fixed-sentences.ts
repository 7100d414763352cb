import { ENGLISH, FIXED_SENTENCES, type FixedSentences } from './fixed-sentences-by-language.ts';

// Fixed sentences of the assistant in spoken calls, in the language of the assistant; English where it has none.

/** The language of a BCP 47 tag. `no`, `nn`: Norwegian that readers of `nb` understand. */
const primary = (language: string): string =>
  (language.split('-')[0] ?? '').toLowerCase().replace(/^(?:no|nn)$/, 'nb');

const sentencesIn = (language: string): FixedSentences => FIXED_SENTENCES[primary(language)] ?? ENGLISH;

/** The question asked once in a long silence [calls.26]. */
export const silencePromptIn = (language: string): string => sentencesIn(language).silence;

/** The apology before a call ends because its speech providers failed [calls.20]. */
export const apologyIn = (language: string): string => sentencesIn(language).apology;

/** The apology of a chat model that failed; the call continues. */
export const repeatPleaseIn = (language: string): string => sentencesIn(language).repeat;

/** The announcement to the target of a warm transfer [sip.16]. The digits of the number are spoken one by one. */
export const consultationIn = (language: string, caller: string): string => {
  const [before, after] = sentencesIn(language).consultation;
  return `${before} ${caller.replace(/\D/g, '').split('').join(' ')}. ${after}`;
};

/** Whether the words accept or decline; undefined: neither. */
export const verdictIn = (language: string, words: string): boolean | undefined => {
  const { yes, no } = sentencesIn(language);
  if (has(words, no, language)) return false;
  return has(words, yes, language) ? true : undefined;
};

/** Written without spaces between words. */
const UNSPACED: readonly string[] = ['ja', 'zh'];

function has(words: string, any: readonly string[], language: string): boolean {
  const of = primary(language);
  if (UNSPACED.includes(of)) return hasWords(words, any, of);
  return new RegExp(`(?<![\\p{L}\\p{M}])(?:${any.join('|')})(?![\\p{L}\\p{M}])`, 'iu').test(words);
}

/** Whether one of the phrases begins and ends where a word of the text does. */
function hasWords(text: string, phrases: readonly string[], language: string): boolean {
  const segments = [...new Intl.Segmenter(language, { granularity: 'word' }).segment(text)];
  const boundaries = new Set([...segments.map(({ index }) => index), text.length]);
  return phrases.some((phrase) =>
    segments.some(({ index }) => text.startsWith(phrase, index) && boundaries.has(index + phrase.length)),
  );
}
