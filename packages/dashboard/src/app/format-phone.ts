/** Calling codes with two digits; 1 and 7 have one, all others three (ITU-T E.164). */
const TWO_DIGITS = /^(20|27|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;

/** An E.164 number in groups: `+1 (415) 555-0123`, `+49 301 234 567`. Other text stays as it is. */
export function formatPhone(number: string): string {
  const digits = /^\+([1-9]\d{6,14})$/.exec(number)?.[1];
  if (digits === undefined) return number;
  const american = /^1(\d{3})(\d{3})(\d{4})$/.exec(digits);
  if (american) return `+1 (${american[1]}) ${american[2]}-${american[3]}`;
  const length = /^[17]/.test(digits) ? 1 : TWO_DIGITS.test(digits) ? 2 : 3;
  const rest = digits.slice(length).replace(/\d{3}(?=\d{2})/g, '$& ');
  return `+${digits.slice(0, length)} ${rest}`;
}
