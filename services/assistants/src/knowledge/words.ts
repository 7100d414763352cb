/** A normalized word and its position in the text. */
export type Word = { word: string; start: number; end: number };

/** Scripts without spaces between words, and Hangul, which appends particles to words. */
const UNSPACED =
  '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}';
/** A script extension also covers punctuation (`。` is in Han), so letters are checked separately. */
const LETTERS = '[\\p{L}\\p{N}\\p{M}]';
const RUN = new RegExp(`((?:(?=${LETTERS})[${UNSPACED}])+)|(?:(?![${UNSPACED}])${LETTERS})+`, 'gu');

/**
 * Accents of Latin, Greek and Cyrillic (vowel signs of other scripts are letters), and what NFKD adds to letters: the
 * slash of a fraction, the brackets of a bracketed number.
 */
const DROPPED = /[\u0300-\u036f]|[^\p{L}\p{N}\p{M}]/gu;
const ASCII = /^[\0-\x7f]*$/;
/** Longer sequences are codes rather than words; their beginning suffices. */
const MAX_CHARACTERS = 64;

/**
 * The words of a text in order, in lower case and without accents. In scripts without spaces every pair of adjacent
 * characters is a word, which needs no dictionary.
 */
export function wordsOf(text: string): Word[] {
  const found: Word[] = [];
  for (const match of text.matchAll(RUN)) {
    const [run, unspaced] = match;
    if (unspaced === undefined) add(found, run, match.index);
    else addPairs(found, run, match.index);
  }
  return found;
}

function addPairs(found: Word[], run: string, start: number): void {
  let before = '';
  let at = start;
  for (const character of run) {
    if (before !== '') add(found, before + character, at - before.length);
    before = character;
    at += character.length;
  }
  if (at - start === before.length) add(found, run, start);
}

function add(found: Word[], run: string, start: number): void {
  const word = fold(run);
  if (word !== '') found.push({ word, start, end: start + run.length });
}

function fold(run: string): string {
  const plain = ASCII.test(run) ? run : run.normalize('NFKD').replace(DROPPED, '').normalize('NFC');
  const word = plain.toLowerCase();
  return word.length > MAX_CHARACTERS ? [...word].slice(0, MAX_CHARACTERS).join('') : word;
}
