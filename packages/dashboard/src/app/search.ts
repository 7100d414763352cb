/** Values of the URL's search, which anyone may write: what is not valid is left out. */
export function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function oneOf<T extends string>(values: readonly T[], value: unknown): T | undefined {
  return values.find((known) => known === value);
}

/** Of a list; undefined if none is valid. */
export function someOf<T extends string>(values: readonly T[], value: unknown): T[] | undefined {
  const list = Array.isArray(value) ? value : [value];
  const found = values.filter((known) => list.includes(known));
  return found.length > 0 ? found : undefined;
}

export function texts(value: unknown): string[] | undefined {
  const found = (Array.isArray(value) ? value : [value]).map(text).filter((item) => item !== undefined);
  return found.length > 0 ? found : undefined;
}

export function wholeNumber(value: unknown): number | undefined {
  const number = Number(value);
  return value !== '' && value !== null && Number.isInteger(number) && number >= 0 ? number : undefined;
}

/** `2026-03-14`, as the calendar of the workspace's zone has it. */
export function day(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return undefined;
  const date = new Date(`${value}T00:00:00Z`);
  // February 31 is read as a day in March.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value) ? value : undefined;
}
