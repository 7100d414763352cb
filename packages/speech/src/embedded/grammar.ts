import { readFile } from 'node:fs/promises';

const DIGITS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
const dictionaries = new Map<string, Promise<ReadonlySet<string>>>();

/** A grammar in which the phrases follow each other in any order. */
export type Grammar = { jsgf: string; unknownWords: string[] };

/** Words that a pronunciation dictionary of CMU Sphinx has. It is read once per process. */
export function wordsOfDictionary(path: string): Promise<ReadonlySet<string>> {
  const known = dictionaries.get(path) ?? readWords(path);
  dictionaries.set(path, known);
  known.catch(() => dictionaries.delete(path));
  return known;
}

/**
 * The grammar of phrases. Case and punctuation don't matter, digits are read one by one. Phrases with a word that is not in the dictionary
 * can't be recognized and are left out; undefined if none is left.
 */
export function grammarOf(phrases: readonly string[], dictionary: ReadonlySet<string>): Grammar | undefined {
  const unknown = new Set<string>();
  const usable: string[] = [];
  for (const phrase of phrases) {
    const words = wordsOf(phrase);
    const missing = words.filter((word) => !dictionary.has(word));
    for (const word of missing) unknown.add(word);
    if (words.length > 0 && missing.length === 0) usable.push(words.join(' '));
  }
  if (usable.length === 0) return undefined;
  const alternatives = [...new Set(usable)].join(' | ');
  const jsgf = `#JSGF V1.0;\ngrammar phrases;\npublic <utterance> = <phrase>+;\n<phrase> = ${alternatives};\n`;
  return { jsgf, unknownWords: [...unknown] };
}

function wordsOf(phrase: string): string[] {
  const spelled = phrase.toLowerCase().replace(/\d/g, (digit) => ` ${DIGITS[Number(digit)]} `);
  return spelled.match(/[a-z]+(?:'[a-z]+)*/g) ?? [];
}

async function readWords(path: string): Promise<ReadonlySet<string>> {
  const lines = (await readFile(path, 'utf8')).split('\n');
  // "word(2)" is another pronunciation of "word".
  return new Set(lines.map((line) => line.slice(0, line.search(/[\s(]|$/))).filter((word) => word !== ''));
}
