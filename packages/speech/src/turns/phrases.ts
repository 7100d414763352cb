import { primaryLanguage } from '../providers/limits.ts';
import { ENGLISH, HESITATIONS, PHRASES, type Phrases } from './phrases-by-language.ts';

// Languages without a list use the English one, so their backchannels and unfinished sentences are usually not detected.

/** Written without spaces between words. */
const UNSPACED: readonly string[] = ['ja', 'zh'];

/** Whether a text is only a backchannel: "mhm", "yes", "okay, right". An empty text is not. */
export function isBackchannel(text: string, language: string): boolean {
  const of = listed(language);
  const known = backchannelsOf(of);
  let rest = wordsOf(text).join(' ');
  if (rest === '') return false;
  while (rest !== '') {
    const phrase = known.find(
      (candidate) =>
        rest === candidate || rest.startsWith(UNSPACED.includes(of) ? candidate : `${candidate} `),
    );
    if (phrase === undefined) return false;
    rest = rest.slice(phrase.length).trimStart();
  }
  return true;
}

/** Whether a text sounds unfinished: it ends with a comma, dash, ellipsis, conjunction, article or hesitation. */
export function isUnfinished(text: string, language: string): boolean {
  const trimmed = text.trimEnd();
  if (/(?:[,;:–—、，،-]|\.\.\.|…)$/u.test(trimmed)) return true;
  if (/[.!?。！？؟।]$/u.test(trimmed)) return false;
  const words = wordsOf(trimmed);
  const last = words.at(-1);
  // A single word, such as "so" or "si", may be the whole answer.
  return words.length > 1 && last !== undefined && phrasesOf(listed(language)).continuing.includes(last);
}

/** The language whose lists are used. `no`, `nn`: Norwegian that has the words of `nb`. */
function listed(tag: string): string {
  const language = primaryLanguage(tag).replace(/^(?:no|nn)$/, 'nb');
  return Object.hasOwn(PHRASES, language) ? language : 'en';
}

const phrasesOf = (language: string): Phrases => PHRASES[language] ?? ENGLISH;

const sorted = new Map<string, readonly string[]>();

/** As `wordsOf` writes them, the longest first. */
function backchannelsOf(language: string): readonly string[] {
  const known =
    sorted.get(language) ??
    [...phrasesOf(language).backchannels, ...HESITATIONS]
      .map((phrase) => wordsOf(phrase).join(' '))
      .sort((a, b) => b.length - a.length);
  sorted.set(language, known);
  return known;
}

/** Words contain the marks of their letters, such as Hindi's vowels. A capital İ leaves a dot above its small letter. */
function wordsOf(text: string): string[] {
  const plain = text.normalize('NFC').toLowerCase().replaceAll('\u0307', '').replaceAll('’', "'");
  return plain.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['-][\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*/gu) ?? [];
}
