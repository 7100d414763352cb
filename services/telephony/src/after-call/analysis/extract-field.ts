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
  [/\be-?mail\b/i, /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/],
  [/\bphone\b/i, /\+?\d[\d\s().-]{6,}\d/],
  [/\bname\b/i, /\b[Mm]y name is ((?:\p{Lu}[\p{L}'-]*\s?)+)/u],
  [
    /\b(?:day|date|time|appointment|when|slot)\b/i,
    /\b(?:mon|tues|wednes|thurs|fri|satur|sun)day(?: at \d{1,2}(?::\d\d)?)?/i,
  ],
];

/** Extracts a field's value from the human's statements about it, or answers to a question about it; null instead of a guess [assistants.17]. */
export function extractField(field: AnalysisField, lines: readonly SpokenLine[]): unknown {
  const about = linesAbout(field, lines);
  switch (field.type) {
    case 'enum':
      return mentioned(field.choices, lines);
    case 'boolean':
      return last(about.map(polarity)) ?? attitude(field, lines);
    case 'number':
      return last(about.map((line) => numberIn(line)));
    default:
      return last(ofKind(field, lines)) ?? about.at(-1) ?? null;
  }
}

/** The human's lines that share a word with the field, or answer a line of the assistant that does. */
function linesAbout(field: AnalysisField, lines: readonly SpokenLine[]): string[] {
  const words = keywords(textOf(field));
  const isAbout = (text: string | undefined): boolean =>
    text !== undefined && keywords(text).some((word) => words.includes(word));
  return lines.flatMap(({ role, content }, i) => {
    const before = lines[i - 1];
    const answers = before?.role === 'agent' && isAbout(before.content);
    return role === 'user' && (isAbout(content) || answers) ? [content] : [];
  });
}

export const saidByHuman = (lines: readonly SpokenLine[]): string[] =>
  lines.filter(({ role }) => role === 'user').map(({ content }) => content);

function textOf({ name, description }: AnalysisField): string {
  return `${name.replaceAll('_', ' ')} ${description}`;
}

function ofKind(field: AnalysisField, lines: readonly SpokenLine[]): (string | null)[] {
  const text = textOf(field);
  const kinds = KINDS.filter(([names]) => names.test(text)).map(([, pattern]) => pattern);
  return saidByHuman(lines).flatMap((line) => kinds.map((pattern) => firstMatch(pattern, line)));
}

function firstMatch(pattern: RegExp, text: string): string | null {
  const found = pattern.exec(text);
  return found ? (found[1] ?? found[0]).trim() : null;
}

function mentioned(choices: readonly string[], lines: readonly SpokenLine[]): string | null {
  return last(
    saidByHuman(lines).map(
      (line) => choices.find((choice) => hasWord(line.toLowerCase(), choice.toLowerCase())) ?? null,
    ),
  );
}

function hasWord(line: string, word: string): boolean {
  const at = line.indexOf(word);
  const isLetter = (char: string | undefined): boolean => char !== undefined && /[\p{L}\p{N}]/u.test(char);
  return at >= 0 && word !== '' && !isLetter(line[at - 1]) && !isLetter(line[at + word.length]);
}

function polarity(line: string): boolean | null {
  if (NO.test(line)) return false;
  return YES.test(line) ? true : null;
}

/** The human's last clear yes or no, for a field about attitude. */
function attitude(field: AnalysisField, lines: readonly SpokenLine[]): boolean | null {
  if (!ATTITUDE.test(textOf(field))) return null;
  return last(saidByHuman(lines).map((line) => (AGAINST.test(line) ? false : FOR.test(line) || null)));
}

function numberIn(line: string): number | null {
  const found = /-?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|-?\d+(?:[.,]\d+)?/.exec(line)?.[0];
  if (found === undefined) return null;
  // A comma before three digits separates thousands, any other a fraction.
  return Number(/,\d{3}(?!\d)/.test(found) ? found.replaceAll(',', '') : found.replace(',', '.'));
}

function last<T>(values: readonly (T | null)[]): T | null {
  return values.findLast((value) => value !== null) ?? null;
}

function keywords(text: string): string[] {
  const words = text.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
  return words.filter((word) => !COMMON_WORDS.has(word));
}
