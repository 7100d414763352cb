import type { ErrorDetail, ErrorDetailCode } from '@parley/contracts';
import type { z } from 'zod';
import { isForbidden, messageFor } from './zod-messages.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

const CODES: Record<Exclude<Issue['code'], 'custom'>, ErrorDetailCode> = {
  invalid_type: 'invalid_type',
  too_big: 'too_big',
  too_small: 'too_small',
  invalid_format: 'invalid_format',
  not_multiple_of: 'invalid_format',
  unrecognized_keys: 'not_allowed',
  invalid_union: 'invalid_type',
  invalid_key: 'invalid_format',
  invalid_element: 'not_allowed',
  invalid_value: 'not_allowed',
};
const DETAIL_CODES = new Set<unknown>([...Object.values(CODES), 'required', 'unknown_id']);

/** The details of one zod issue [general.7]: one, or one per problem that the issue contains. */
export function detailsOf(issue: Issue, prefix: Path): ErrorDetail[] {
  const path = [...prefix, ...issue.path];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => detail([...path, key], 'not_allowed', 'is not a known field'));
    case 'invalid_union':
      return ofUnion(issue, path);
    case 'invalid_key':
    case 'invalid_element':
      return issue.issues.flatMap((inner) => detailsOf({ ...inner, path: [] }, path));
    default:
      return [detail(path, codeOf(issue), messageFor(issue, isMissing(issue)))];
  }
}

function codeOf(
  issue: Exclude<Issue, { code: 'invalid_union' | 'invalid_key' | 'invalid_element' }>,
): ErrorDetailCode {
  if (isMissing(issue)) return 'required';
  if (isForbidden(issue)) return 'not_allowed';
  if (issue.code !== 'custom') return CODES[issue.code];
  const code: unknown = issue.params?.code;
  return isDetailCode(code) ? code : 'not_allowed';
}

/** Reports the closest branch of a union: with the deepest issues, then with the fewest. */
function ofUnion(issue: Extract<Issue, { code: 'invalid_union' }>, path: Path): ErrorDetail[] {
  if (isMissing(issue)) return [detail(path, 'required', messageFor(issue, true))];
  const branches = issue.errors.map((issues) => ({ issues, depth: Math.max(...issues.map(depthOf)) }));
  const [closest] = branches.sort((a, b) => b.depth - a.depth || a.issues.length - b.issues.length);
  const inside =
    closest !== undefined && (closest.depth > 0 || issue.errors.length === 1 || !isTypeOnly(closest.issues));
  if (inside && closest) return closest.issues.flatMap((inner) => detailsOf(inner, path));
  const code = issue.errors.length > 0 ? 'invalid_type' : 'not_allowed';
  return [detail(path, code, messageFor(issue, false))];
}

function depthOf(issue: Issue): number {
  return issue.code === 'unrecognized_keys' ? issue.path.length + 1 : issue.path.length;
}

function isTypeOnly(issues: Issue[]): boolean {
  return issues.every(({ code }) => code === 'invalid_type');
}

/** Whether the value is missing, by the reported input or else by zod's message. */
function isMissing(issue: Issue): boolean {
  if (issue.code === 'custom') return false;
  if (!('input' in issue))
    return issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
  if (issue.code !== 'invalid_union' || issue.discriminator === undefined) return issue.input === undefined;
  const { input, discriminator } = issue;
  return typeof input === 'object' && input !== null && !(discriminator in input);
}

function isDetailCode(code: unknown): code is ErrorDetailCode {
  return DETAIL_CODES.has(code);
}

function detail(path: Path, code: ErrorDetailCode, words: string): ErrorDetail {
  const dotted = path.map(String).join('.');
  // A lower-case start is a predicate ("must be a string"), anything else a sentence of its own.
  const message = /^[a-z]/.test(words) ? `${dotted === '' ? 'The body' : dotted} ${words}` : words;
  return { path: dotted, code, message };
}
