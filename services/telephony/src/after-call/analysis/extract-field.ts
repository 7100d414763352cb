import type { AnalysisField } from '../../assistants/call-config.ts';
import type { SpokenLine } from './ports.ts';

const COMMON_WORDS = new Set(
  'about call caller contact customer does from have human person that the their they this user value what when whether which will with would'.split(
    ' ',
  ),
);

const NO = /\b(?:no|not|never|nope)\b|n't\b/i;
const YES = /\b(?:yes|yeah|sure|okay|ok|great|good|agreed?|correct|right|interested)\b/i;

/** Fields about the human's attitude. */
const ATTITUDE =
  /\b(?:interest(?:ed)?|agree[sd]?|accept(?:s|ed)?|consent(?:s|ed)?|willing|want(?:s|ed)?|confirm(?:s|ed)?|satisfied)\b/i;
/** Words that express it whatever the question. */
const FOR =
  /^\W*(?:yes|yeah|sure|of course|absolutely|definitely)\b|\b(?:sounds|looks) (?:good|great|fine)\b|\bi am interested\b/i;
const AGAINST =
  /^\W*(?:no|nope|not)\b(?! sure)|\bno,? thank|\bnot interested\b|\b(?:do not|don't) (?:want|need|call)\b/i;

/** Patterns of text values, by words in the field's name and description. */
const KINDS: readonly [RegExp, RegExp][] = [
  [/\be-?mail\b/i, /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/],
  [/\bphone\b/i, /\+?\d[\d\s().-]{6,}\d/],
  [/\bname\b/i, /\b[Mm]y name is ((?:\p{Lu}[\p{L}'-]*\s?)+)/u],
  [
    /\b(?:day|date|time|appointment|when|slot)\b/i,
    /\b(?:mon|tues|wednes|thurs|fri|satur|sun)day(?: at \d{1,2}(?::\d\d)?)?/i,
  ],
];

/**
 * Returns a function that extracts a field's value from the human's statements about it, or answers to a question about it; null instead of a
 * guess [assistants.17]. What it needs to know of the lines is determined once for all fields: both may be long.
 */
export function createExtractor(lines: readonly SpokenLine[]): (field: AnalysisField) => unknown {
  const said = saidByHuman(lines);
  const linesWith = indexByKeyword(lines);
  const lowerCase = once(() => said.map((line) => line.toLowerCase()));
  const attitude = once(() => last(said, (line) => (AGAINST.test(line) ? false : FOR.test(line) || null)));
  const matches = new Map(
    KINDS.map(([, kind]) => [kind, once(() => said.map((line) => firstMatch(kind, line)))]),
  );
  const polarities = lines.map(({ content }) => once(() => polarity(content)));
  const numbers = lines.map(({ content }) => once(() => numberIn(content)));

  /** Indices of the human's lines that share a word with the field, or answer a line of the assistant that does. */
  function linesAbout(field: AnalysisField): number[] {
    const about = new Set<number>();
    for (const word of keywords(textOf(field))) {
      for (const i of linesWith.get(word) ?? []) {
        if (lines[i]?.role === 'user') about.add(i);
        else if (lines[i + 1]?.role === 'user') about.add(i + 1);
      }
    }
    return [...about].sort((a, b) => a - b);
  }

  function ofKind(field: AnalysisField): string | null {
    const text = textOf(field);
    const found = KINDS.filter(([names]) => names.test(text)).map(([, kind]) => matches.get(kind)?.() ?? []);
    return last([...said.keys()], (i) => last(found, (values) => values[i] ?? null));
  }

  return (field) => {
    switch (field.type) {
      case 'enum':
        return mentioned(field.choices, lowerCase());
      case 'boolean':
        return (
          last(linesAbout(field), (i) => polarities[i]?.() ?? null) ??
          (ATTITUDE.test(textOf(field)) ? attitude() : null)
        );
      case 'number':
        return last(linesAbout(field), (i) => numbers[i]?.() ?? null);
      default:
        return ofKind(field) ?? lines[linesAbout(field).at(-1) ?? -1]?.content ?? null;
    }
  };
}

/** Indices of the lines that contain a keyword. */
function indexByKeyword(lines: readonly SpokenLine[]): Map<string, number[]> {
  const index = new Map<string, number[]>();
  for (const [i, { content }] of lines.entries()) {
    for (const word of keywords(content)) {
      const known = index.get(word);
      if (known) known.push(i);
      else index.set(word, [i]);
    }
  }
  return index;
}

export const saidByHuman = (lines: readonly SpokenLine[]): string[] =>
  lines.filter(({ role }) => role === 'user').map(({ content }) => content);

function textOf({ name, description }: AnalysisField): string {
  return `${name.replaceAll('_', ' ')} ${description}`;
}

function firstMatch(pattern: RegExp, text: string): string | null {
  const found = pattern.exec(text);
  return found ? (found[1] ?? found[0]).trim() : null;
}

function mentioned(choices: readonly string[], lowerCaseLines: readonly string[]): string | null {
  const words = choices.map((choice) => choice.toLowerCase());
  return last(lowerCaseLines, (line) => choices[words.findIndex((word) => hasWord(line, word))] ?? null);
}

function hasWord(line: string, word: string): boolean {
  const at = line.indexOf(word);
  const isLetter = (char: string | undefined): boolean => char !== undefined && /[\p{L}\p{N}]/u.test(char);
  return at >= 0 && word !== '' && !isLetter(line[at - 1]) && !isLetter(line[at + word.length]);
}

/** A clear yes or no. */
function polarity(line: string): boolean | null {
  if (NO.test(line)) return false;
  return YES.test(line) ? true : null;
}

function numberIn(line: string): number | null {
  const found = /-?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|-?\d+(?:[.,]\d+)?/.exec(line)?.[0];
  if (found === undefined) return null;
  // A comma before three digits separates thousands, any other a fraction.
  return Number(/,\d{3}(?!\d)/.test(found) ? found.replaceAll(',', '') : found.replace(',', '.'));
}

/** The last value that isn't null; nothing before it is computed. */
function last<I, T>(items: readonly I[], read: (item: I) => T | null): T | null {
  for (const item of items.toReversed()) {
    const value = read(item);
    if (value !== null) return value;
  }
  return null;
}

/** Computes a value when it is first needed. */
function once<T>(compute: () => T): () => T {
  let known: { value: T } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}

/** Different words of at least four letters that aren't common. */
function keywords(text: string): Set<string> {
  const words = text.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
  return new Set(words.filter((word) => !COMMON_WORDS.has(word)));
}
