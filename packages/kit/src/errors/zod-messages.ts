import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** Prefixes of zod's default messages; any other message comes from the schema and is used unchanged. */
const ZOD_OWN = /^(Invalid|Too big|Too small|Unrecognized key)\b/;

const TYPES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  date: 'a date',
  null: 'null',
};
const FORMATS: Record<string, string> = {
  uuid: 'a UUID',
  guid: 'a UUID',
  url: 'a URL',
  email: 'an e-mail address',
  e164: 'a phone number in E.164 form',
  datetime: 'an ISO 8601 date-time',
  date: 'an ISO 8601 date',
  time: 'an ISO 8601 time',
  base64: 'base64',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  cidrv4: 'an IPv4 range',
  cidrv6: 'an IPv6 range',
};
const UNITS: Record<string, [one: string, many: string]> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
  set: ['item', 'items'],
  map: ['entry', 'entries'],
};

/**
 * The message of an issue: a predicate that follows the field's name ("must be a string"), or the schema's own message. It never contains
 * the value, which may be a secret.
 */
export function messageFor(issue: Issue, missing: boolean): string {
  if (!ZOD_OWN.test(issue.message)) return issue.message;
  if (missing) return 'is required';
  if (isForbidden(issue)) return 'is not allowed';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? `of type ${issue.expected}`}`;
    case 'invalid_value':
      return `must be ${oneOf(issue.values)}`;
    case 'invalid_format':
      return formatMessage(issue);
    case 'too_small':
      return tooSmallMessage(issue);
    case 'too_big':
      return tooBigMessage(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_union':
      return 'options' in issue && issue.options
        ? `must be ${oneOf(issue.options)}`
        : unionMessage(issue.errors);
    default:
      return 'is not allowed';
  }
}

/** `z.never()`: the field is not allowed. */
export function isForbidden(issue: Issue): boolean {
  return issue.code === 'invalid_type' && issue.expected === 'never';
}

function oneOf(values: readonly unknown[]): string {
  const shown = values.map((value) => JSON.stringify(value) ?? String(value));
  return shown.length === 1 ? (shown[0] ?? '') : `one of ${shown.join(', ')}`;
}

function formatMessage(issue: Extract<Issue, { code: 'invalid_format' }>): string {
  if (issue.format === 'regex') return 'has an invalid format';
  if (/^(starts_with|ends_with|includes)$/.test(issue.format)) {
    return issue.message.replace(/^Invalid string: /, '');
  }
  return `must be ${FORMATS[issue.format] ?? `a valid ${issue.format}`}`;
}

function tooSmallMessage({
  origin,
  minimum,
  inclusive,
  exact,
}: Extract<Issue, { code: 'too_small' }>): string {
  if (origin in UNITS && !exact && Number(minimum) === 1) return 'must not be empty';
  return bound(origin, minimum, exact ? 'exactly' : inclusive === false ? 'more than' : 'at least');
}

function tooBigMessage({ origin, maximum, inclusive, exact }: Extract<Issue, { code: 'too_big' }>): string {
  return bound(origin, maximum, exact ? 'exactly' : inclusive === false ? 'less than' : 'at most');
}

function bound(origin: string, limit: number | bigint, relation: string): string {
  const units = UNITS[origin];
  if (!units) return `must be ${relation} ${limit}`;
  return `must have ${relation} ${limit} ${Number(limit) === 1 ? units[0] : units[1]}`;
}

function unionMessage(branches: readonly Issue[][]): string {
  const types = branches.flatMap(([first]) =>
    first?.code === 'invalid_type' ? [TYPES[first.expected] ?? first.expected] : [],
  );
  return types.length > 0 ? `must be ${[...new Set(types)].join(' or ')}` : 'has an invalid value';
}
