/** A word as it is searched for, and where it stands in its text. */
export type Word = { word: string; start: number; end: number };

/** Scripts that write words without spaces between them, and Hangul, which glues particles to them. */
const UNSPACED =
  '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}';
/** Scripts share their punctuation and their symbols, so that a script alone makes no letter: `。` belongs to Han too. */
const LETTERS = '[\\p{L}\\p{N}\\p{M}]';
const RUN = new RegExp(`((?:(?=${LETTERS})[${UNSPACED}])+)|(?:(?![${UNSPACED}])${LETTERS})+`, 'gu');
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u');

/**
 * Accents of Latin, Greek and Cyrillic (vowel signs of other scripts are letters to us), and what a sign stands for
 * beside letters: the slash of a fraction, the brackets of a number in brackets.
 */
const DROPPED = /[\u0300-\u036f]|[^\p{L}\p{N}\p{M}]/gu;
const ASCII = /^[\0-\x7f]*$/;
/** What is longer is no word, but some code: its beginning is enough. */
const MOST_CHARACTERS = 64;

/**
 * The words of a text in order, in lower case and without accents; what stands between them is no syntax to anybody.
 * Where a script has no spaces each pair of neighbours is a word, as search engines do it: that needs no dictionary, and
 * finds what a dictionary would have cut elsewhere.
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

/** Whether the beginning of a word is a word of its own already. */
export function isUnspaced(word: string): boolean {
  return IS_UNSPACED.test(word);
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
  return word.length > MOST_CHARACTERS ? [...word].slice(0, MOST_CHARACTERS).join('') : word;
}
