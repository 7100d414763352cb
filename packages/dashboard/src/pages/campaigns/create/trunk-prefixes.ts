/**
 * What numbers within a country begin with, and those from abroad do not, where that is no `0`. Empty: a `0` belongs to the number, as in
 * Italy, where `06 698` is `+39 06 698`.
 */
const TRUNK_PREFIXES: Readonly<Record<string, RegExp | ''>> = {
  '+39': '',
  '+378': '',
  '+225': '',
  '+226': '',
  '+229': '',
  '+242': '',
  // North America writes its own code, without a plus.
  '+1': /^1(?=\d{10}$)/,
  '+7': /^8(?=\d{10}$)/,
  '+36': /^06/,
  '+370': /^[08](?=\d{8}$)/,
  '+375': /^8?0(?=\d{9}$)/,
};

/** The number within a country, `030 123456` without its spaces, as it follows the country's code. */
export function withoutTrunkPrefix(number: string, countryCode: string): string {
  const prefix = TRUNK_PREFIXES[countryCode];
  return prefix === '' ? number : number.replace(prefix ?? /^0/, '');
}
