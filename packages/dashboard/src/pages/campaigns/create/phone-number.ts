import { withoutTrunkPrefix } from './trunk-prefixes.ts';

/** A cell read as a phone number, or what is wrong with it, in words. */
export type ReadNumber = { number: string } | { problem: string };

const E164 = /^\+[1-9]\d{6,14}$/;
/** What people put between digits: spaces of all kinds, brackets, dashes, dots and slashes. */
const SEPARATORS = /[\s\u00a0\u2000-\u200f\u202a-\u202f\u2060().\-\u2010-\u2015/]+/g;

/** `countryCode`: `+49` for numbers without a country, or empty to refuse those. */
export function readPhoneNumber(cell: string, countryCode: string): ReadNumber {
  const text = cell.trim();
  if (text === '') return { problem: 'No phone number' };
  if (/^\d+([.,]\d+)?e\+?\d+$/i.test(text))
    return {
      problem: 'A spreadsheet has rounded this number: format the column as text and export it again',
    };
  const bare = text.replace(/^(?:tel:|')/i, '').replace(SEPARATORS, '');
  if (!/^\+?\d+$/.test(bare)) return { problem: 'Not a phone number' };
  const international = toInternational(bare, countryCode);
  if (international === undefined)
    return { problem: 'No country code: write it as +14155550199, or choose a country code above' };
  if (E164.test(international)) return { number: international };
  const digits = international.length - 1;
  if (digits < 7) return { problem: `Too short: ${digits} digits` };
  if (digits > 15) return { problem: `Too long: ${digits} digits` };
  return { problem: 'A country code never begins with 0' };
}

function toInternational(bare: string, countryCode: string): string | undefined {
  if (bare.startsWith('+')) return bare;
  if (bare.startsWith('00')) return `+${bare.slice(2)}`;
  if (countryCode === '') return undefined;
  return `${countryCode}${withoutTrunkPrefix(bare, countryCode)}`;
}
