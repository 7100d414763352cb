/** How the digits of a phone number are found in stored text, and their replacement. */
export type Mention = {
  /** For LIKE: fast, with false positives. */
  like: string;
  /** A Postgres regular expression that matches the digits, but not as part of a longer number. */
  pattern: string;
  /** As long as the digits, and also a valid number in JSON. */
  mask: string;
};

/** A number this short may occur inside a hexadecimal id. */
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

/** Matches possible phone numbers in E.164, by the rule of `mentionOf`. */
const NUMBERS = /(?<!\d)\d{10,15}(?!\d)|(?<![0-9A-Za-z])\d{7,9}(?![0-9A-Za-z])/g;

/** The distinct digit sequences of a text that may be phone numbers. */
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

/** Whether a message belongs to a call to or from one of these numbers, and doesn't merely mention one. */
export function isAbout(payload: string, digits: ReadonlySet<string>): boolean {
  const { data } = JSON.parse(payload) as { data?: { to_number?: unknown; from_number?: unknown } | null };
  return [data?.to_number, data?.from_number].some((number) => digits.has(String(number).replace(/\D/g, '')));
}

function maskOf(digits: string): string {
  return `1${'0'.repeat(digits.length - 1)}`;
}
