import { allowedDestinations } from '@parley/contracts';
import { isUuid } from '@parley/kit/ids';
import { InvalidArgumentError } from 'commander';

export function id(value: string): string {
  if (!isUuid(value)) throw new InvalidArgumentError('It must be a UUID.');
  return value;
}

/** A whole number from `min`. */
export const wholeNumber =
  (min: number) =>
  (value: string): number => {
    const number = Number(value);
    if (!/^\d{1,9}$/.test(value) || number < min) {
      throw new InvalidArgumentError(`It must be a whole number from ${min}.`);
    }
    return number;
  };

/** `default` (the default of the installation), or a whole number from `min`. */
export const limit =
  (min: number) =>
  (value: string): number | 'default' =>
    value === 'default' ? value : wholeNumber(min)(value);

/** A comma list; `any` means no limit, an empty string an empty list. */
export function list(value: string): string[] | 'any' {
  if (value === 'any') return value;
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** `on` or `off`. */
export function onOff(value: string): boolean {
  if (value !== 'on' && value !== 'off') throw new InvalidArgumentError('It must be on or off.');
  return value === 'on';
}

/** `none`, or a whole number from 0. */
export const amount = (value: string): number | 'default' =>
  value === 'none' ? 'default' : wholeNumber(0)(value);

/** `any`, or a comma list of the first digits of E.164 numbers. */
export function destinations(value: string): string[] {
  if (value === 'any') return [];
  const prefixes = [...new Set(value.split(',').map((prefix) => prefix.trim()))];
  const parsed = allowedDestinations.safeParse(prefixes);
  if (!parsed.success) throw new InvalidArgumentError('It must be a comma list such as +49,+43, or "any".');
  return parsed.data;
}

/** An ISO 8601 instant with its offset. */
export function instant(value: string): Date {
  const date = new Date(value);
  if (!/^\d{4}-\d\d-\d\dT.+(?:Z|[+-]\d\d:\d\d)$/.test(value) || Number.isNaN(date.getTime())) {
    throw new InvalidArgumentError(
      'It must be an ISO 8601 date-time with an offset, as 2027-01-31T08:00:00Z.',
    );
  }
  return date;
}

export function email(value: string): string {
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) || value.length > 254) {
    throw new InvalidArgumentError('It must be an e-mail address.');
  }
  return value;
}

/** A display name: 1-255 characters, not blank. */
export function label(value: string): string {
  const trimmed = value.trim();
  if (trimmed === '' || trimmed.length > 255)
    throw new InvalidArgumentError('It must have 1-255 characters.');
  return trimmed;
}
