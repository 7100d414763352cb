const money = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });
const fineMoney = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 4,
});
const whole = new Intl.NumberFormat('en');
const share = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** Costs of the API are cents of a dollar, and may be fractions of one. */
export function formatCents(cents: number): string {
  return (Number.isInteger(cents) ? money : fineMoney).format(cents / 100);
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
