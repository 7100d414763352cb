/** How the digits of a phone number are found in stored text, and their replacement. */
export type Mention = {
  /** For LIKE: fast, with false positives. */
  like: string;
  /** A Postgres regular expression that matches the digits, also after `00`, but not as part of a longer number. */
  pattern: string;
  /** As long as the digits without `00`, and also a valid number in JSON. */
  mask: string;
};

/** The end of an escape in JSON or in a URL, which is no part of the number behind it: of a line feed, a control character, a space. */
const AFTER_ESCAPE = '(?<=\\\\[b-t]|\\\\u[0-9a-f]{4}|%[0-9A-Fa-f]{2})';

/** A number this short may occur inside a hexadecimal id. */
const SHORT = 10;

export function mentionOf(phoneNumber: string): Mention {
  const digits = phoneNumber.replace(/\D/g, '');
  const border = digits.length < SHORT ? '[0-9A-Za-z]' : '[0-9]';
  return {
    like: `%${digits}%`,
    pattern: `(?:(?<!${border})|${AFTER_ESCAPE})(?:00)?${digits}(?!${border})`,
    mask: maskOf(digits),
  };
}

/** Possible phone numbers in E.164, by the rule of `mentionOf`. None begins with 0. */
const LONG_NUMBER = '(?:00)?[1-9]\\d{9,14}(?!\\d)';
const SHORT_NUMBER = '(?:00)?[1-9]\\d{6,8}(?![0-9A-Za-z])';
/** Two patterns, since the digits of an escape and those behind it may also be one number. */
const NUMBERS: readonly RegExp[] = [
  new RegExp(`(?<!\\d)${LONG_NUMBER}|(?<![0-9A-Za-z])${SHORT_NUMBER}`, 'g'),
  new RegExp(`${AFTER_ESCAPE}(?:${LONG_NUMBER}|${SHORT_NUMBER})`, 'g'),
];

const bare = (number: string): string => number.replace(/\D|^00/g, '');

/** The distinct digit sequences of a text that may be phone numbers. */
export function numbersIn(text: string): string[] {
  return [...new Set(NUMBERS.flatMap((numbers) => text.match(numbers) ?? []).map(bare))];
}

/** The text with these digits masked, the same as in the tables. */
export function maskDigits(text: string, digits: ReadonlySet<string>): string {
  if (digits.size === 0) return text;
  const mask = (number: string): string => (digits.has(bare(number)) ? maskOf(bare(number)) : number);
  return NUMBERS.reduce((masked, numbers) => masked.replace(numbers, mask), text);
}

/** Whether a phone number in a message is the mask of an erased one. */
export function isMask(phoneNumber: string): boolean {
  return /^\+10+$/.test(phoneNumber);
}

/** Whether a message belongs to a call to or from one of these numbers, and doesn't merely mention one. */
export function isAbout(payload: string, digits: ReadonlySet<string>): boolean {
  const { data } = JSON.parse(payload) as { data?: { to_number?: unknown; from_number?: unknown } | null };
  return [data?.to_number, data?.from_number].some((number) => digits.has(bare(String(number))));
}

function maskOf(digits: string): string {
  return `1${'0'.repeat(digits.length - 1)}`;
}
