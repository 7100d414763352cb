const whole = new Intl.NumberFormat('en');
const share = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

const moneyFormats = new Map<string, Intl.NumberFormat>();

/** Cents, as the API has them, in a currency (ISO 4217). Fractions of a cent are shown where there are any. */
export function formatCents(cents: number, currency: string): string {
  const digits = Number.isInteger(cents) ? 2 : 4;
  const key = `${currency} ${digits}`;
  let format = moneyFormats.get(key);
  if (!format) {
    format = new Intl.NumberFormat('en', { style: 'currency', currency, maximumFractionDigits: digits });
    moneyFormats.set(key, format);
  }
  return format.format(cents / 100);
}

export function formatCount(count: number): string {
  return whole.format(count);
}

/** 0.125 as `12.5%`. */
export function formatShare(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : share.format(value);
}

/** `1 call`, `2 calls`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
