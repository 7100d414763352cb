import { isUuid } from '@parley/kit/ids';
import { InvalidArgumentError } from 'commander';

/** A UUID of the platform. */
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

/** `default`, which is what holds for all workspaces, or a whole number from `min`. */
export const limit =
  (min: number) =>
  (value: string): number | 'default' =>
    value === 'default' ? value : wholeNumber(min)(value);

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

/** A name for people: 1-255 characters, not blank. */
export function label(value: string): string {
  const trimmed = value.trim();
  if (trimmed === '' || trimmed.length > 255)
    throw new InvalidArgumentError('It must have 1-255 characters.');
  return trimmed;
}
