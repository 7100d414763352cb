// Converts a language model's text for a voice: formatting is removed, and what voices read wrongly (long numbers, dates, addresses,
// abbreviations) is spelled out. Amounts, times and short numbers stay: every voice reads them correctly.

type Words = {
  at: string;
  dot: string;
  plus: string;
  abbreviations: readonly (readonly [RegExp, string])[];
};

// cspell:disable
const WORDS: Readonly<Record<string, Words>> = {
  en: {
    at: 'at',
    dot: 'dot',
    plus: 'plus',
    abbreviations: [
      [/\be\.g\.,?/gi, 'for example,'],
      [/\bi\.e\.,?/gi, 'that is,'],
      [/\betc\./gi, 'and so on.'],
      [/\bapprox\./gi, 'approximately'],
      [/\bvs\./gi, 'versus'],
      [/\bDr\.(?=\s+\p{Lu})/gu, 'Doctor'],
      [/\bMr\.(?=\s)/g, 'Mister'],
      [/\bMrs\.(?=\s)/g, 'Missus'],
      [/\bNo\.(?=\s*\d)/g, 'number'],
      [/\bSt\.(?=\s+\p{Lu})/gu, 'Saint'],
      [/\bAve\./g, 'Avenue'],
    ],
  },
  de: {
    at: 'ät',
    dot: 'Punkt',
    plus: 'plus',
    abbreviations: [
      [/\bz\.\s?B\./gi, 'zum Beispiel'],
      [/\bd\.\s?h\./gi, 'das heißt'],
      [/\busw\./gi, 'und so weiter.'],
      [/\bca\./gi, 'circa'],
      [/\bbzw\./gi, 'beziehungsweise'],
      [/\bNr\.(?=\s*\d)/g, 'Nummer'],
      [/\bDr\.(?=\s)/g, 'Doktor'],
      [/(?<=\p{L})str\.(?=\s)/giu, 'straße'],
    ],
  },
  es: {
    at: 'arroba',
    dot: 'punto',
    plus: 'más',
    abbreviations: [
      [/\bp\.\s?ej\./gi, 'por ejemplo'],
      [/\betc\./gi, 'etcétera.'],
      [/\bSr\.(?=\s)/g, 'señor'],
      [/\bSra\.(?=\s)/g, 'señora'],
      [/\bDr\.(?=\s)/g, 'doctor'],
    ],
  },
  fr: {
    at: 'arobase',
    dot: 'point',
    plus: 'plus',
    abbreviations: [
      [/\bp\.\s?ex\./gi, 'par exemple'],
      [/\bc\.-à-d\./gi, "c'est-à-dire"],
      [/\bM\.(?=\s+\p{Lu})/gu, 'monsieur'],
      [/\bMme(?=\s)/g, 'madame'],
      [/\bDr(?=\s+\p{Lu})/gu, 'docteur'],
    ],
  },
};
// cspell:enable

/** The form of a text to be spoken in this language (BCP 47). */
export function spokenForm(text: string, language: string): string {
  const words = WORDS[language.slice(0, 2).toLowerCase()];
  let spoken = withoutFormatting(text)
    .replace(/\bhttps?:\/\/(?:www\.)?([^\s/?#]+)\S*/gi, (_, host: string) => address(host, words))
    // Begins at no other character of a name than its first, else a long one needs time in proportion to its square.
    .replace(
      /(?<![\w.+-])([.+-]*)(\w[\w.+-]*@[\w-]+(?:\.[\w-]+)+)\b/g,
      (_, before: string, mail: string) => before + address(mail, words),
    )
    .replace(
      /\b(\d{4})-(\d{2})-(\d{2})(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2})?)?(?![\d-])/g,
      (iso, year, month, day) => dateIn(language, Number(year), Number(month), Number(day)) ?? iso,
    )
    .replace(/\+\d[\d\s()./-]{6,}\d/g, (phone) => `${words?.plus ?? '+'} ${digitByDigit(phone)}`)
    .replace(/\(?\b\d{3}\)?[\s.-]\d{3}[\s.-]\d{4}\b/g, digitByDigit)
    // Codes and account numbers.
    .replace(/(?<![\d.,:$€£/-])\b(?:0\d{3,}|\d{7,})\b(?![.,:]\d)/g, digitByDigit);
  for (const [short, long] of words?.abbreviations ?? []) spoken = spoken.replace(short, long);
  return spoken.replace(/[ \t]{2,}/g, ' ').trim();
}

/** What is open and never closed is searched for this far, not to the end of the text from each of its beginnings. */
function withoutFormatting(text: string): string {
  return text
    .replace(/```[^\n]*\n?|`/g, '')
    .replace(/!?\[([^\]]{1,300})\]\([^)\s]{1,300}\)/g, '$1')
    .replace(/(\*\*|__)(?=\S)(.{1,300}?)(?<=\S)\1/g, '$2')
    .replace(/(?<![\p{L}\p{N}])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\p{L}\p{N}])/gu, '$1')
    .replace(/^[ \t]*(?:#{1,6}|[-*•])[ \t]+/gm, '')
    .replace(
      /\p{Extended_Pictographic}(?:\u{FE0F}|\u{200D}|\p{Emoji_Modifier}|\p{Extended_Pictographic})*/gu,
      '',
    );
}

/** Groups of three and four digits, as people say telephone and account numbers. */
function digitByDigit(number: string): string {
  const groups = number.match(/\d+/g)?.flatMap((group) => inThrees(group)) ?? [];
  return groups.map((group) => [...group].join(' ')).join(', ');
}

function inThrees(digits: string): string[] {
  const groups: string[] = [];
  let rest = 0;
  for (; digits.length - rest > 4; rest += 3) groups.push(digits.slice(rest, rest + 3));
  return [...groups, digits.slice(rest)];
}

function address(text: string, words: Words | undefined): string {
  if (!words) return text;
  const trailing = /[.,!?;:]+$/.exec(text)?.[0] ?? '';
  const bare = text.slice(0, text.length - trailing.length);
  return bare.replaceAll('@', ` ${words.at} `).replaceAll('.', ` ${words.dot} `) + trailing;
}

function dateIn(language: string, year: number, month: number, day: number): string | undefined {
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  try {
    return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(date);
  } catch {
    return undefined;
  }
}
