/** How the digits of a phone number are found in stored text, and their replacement. */
export type Mention = {
  /** For LIKE: fast, with false positives. */
  like: string;
  /** A Postgres regular expression that matches the digits, also after `00`, but not as part of a longer number. */
  pattern: string;
  /** As long as the digits without `00`, and also a valid number in JSON. */
  mask: string;
};

/** A number this short may occur inside a hexadecimal id. */
const SHORT = 10;

export function mentionOf(phoneNumber: string): Mention {
  const digits = phoneNumber.replace(/\D/g, '');
  const border = digits.length < SHORT ? '[0-9A-Za-z]' : '[0-9]';
  return {
    like: `%${digits}%`,
    pattern: `(?<!${border})(?:00)?${digits}(?!${border})`,
    mask: maskOf(digits),
  };
}

/** Matches possible phone numbers in E.164, by the rule of `mentionOf`. None begins with 0. */
const NUMBERS = /(?<!\d)(?:00)?[1-9]\d{9,14}(?!\d)|(?<![0-9A-Za-z])(?:00)?[1-9]\d{6,8}(?![0-9A-Za-z])/g;

const bare = (number: string): string => number.replace(/\D|^00/g, '');

/** The distinct digit sequences of a text that may be phone numbers. */
export function numbersIn(text: string): string[] {
  return [...new Set(text.match(NUMBERS)?.map(bare))];
}

/** The text with these digits masked, the same as in the tables. */
export function maskDigits(text: string, digits: ReadonlySet<string>): string {
  return digits.size === 0
    ? text
    : text.replace(NUMBERS, (number) => (digits.has(bare(number)) ? maskOf(bare(number)) : number));
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
