/** How the digits of a phone number are found in stored text, and what takes their place. */
export type Mention = {
  /** For LIKE: quick, and finds too much. */
  like: string;
  /** A regular expression of Postgres: the digits and no longer number. */
  pattern: string;
  /** As long as the digits, and a number in JSON as they are. */
  mask: string;
};

/** So short a number may be part of an id that is written in hexadecimal. */
const SHORT = 10;

export function mentionOf(phoneNumber: string): Mention {
  const digits = phoneNumber.replace(/\D/g, '');
  const border = digits.length < SHORT ? '[0-9A-Za-z]' : '[0-9]';
  return {
    like: `%${digits}%`,
    pattern: `(?<!${border})${digits}(?!${border})`,
    mask: maskOf(digits),
  };
}

/** What may be a phone number in E.164, by the rule of `mentionOf`. */
const NUMBERS = /(?<!\d)\d{10,15}(?!\d)|(?<![0-9A-Za-z])\d{7,9}(?![0-9A-Za-z])/g;

/** The different digits in a text that may be phone numbers. */
export function numbersIn(text: string): string[] {
  return [...new Set(text.match(NUMBERS))];
}

/** The text with these digits masked, the same as in the tables. */
export function maskDigits(text: string, digits: ReadonlySet<string>): string {
  return digits.size === 0
    ? text
    : text.replace(NUMBERS, (number) => (digits.has(number) ? maskOf(number) : number));
}

/** Whether a phone number in a message is the mask of an erased one. */
export function isMask(phoneNumber: string): boolean {
  return /^\+10+$/.test(phoneNumber);
}

/** Whether a message is of a call to or from one of these numbers, and not one that merely mentions it. */
export function isAbout(payload: string, digits: ReadonlySet<string>): boolean {
  const { data } = JSON.parse(payload) as { data?: { to_number?: unknown; from_number?: unknown } | null };
  return [data?.to_number, data?.from_number].some((number) => digits.has(String(number).replace(/\D/g, '')));
}

function maskOf(digits: string): string {
  return `1${'0'.repeat(digits.length - 1)}`;
}
