import type { ErrorDetail } from '@parley/contracts';
import { validationFailed } from '../errors/index.ts';

/** NUL and lone surrogates, which Postgres cannot store in a text. */
const UNSTORABLE = /\0|\p{Surrogate}/u;
/** Their escapes in JSON: a source without them needs no further check. */
const UNSTORABLE_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;

/** 422 for text of a path or query that the database cannot store. */
export function checkText(text: string, path: string): void {
  if (UNSTORABLE.test(text)) throw validationFailed([unstorable(path)]);
}

/** 422 for a value, parsed from `source`, with strings or keys that the database cannot store. */
export function checkJson(value: unknown, source: string): void {
  if (!UNSTORABLE_ESCAPE.test(source)) return;
  const path = findUnstorable(value);
  if (path !== undefined) throw validationFailed([unstorable(path)]);
}

type Container = Record<string, unknown>;
type Level = { of: Container; keys: string[]; at: number };

/** The path of the first bad string, or of the object with the first bad key. */
function findUnstorable(root: unknown): string | undefined {
  const levels: Level[] = [];
  const pathTo = (): string => levels.map(({ keys, at }) => keys[at - 1]).join('.');
  const enter = (of: Container): void => void levels.push({ of, keys: Object.keys(of), at: 0 });

  if (typeof root === 'string') return UNSTORABLE.test(root) ? '' : undefined;
  if (isContainer(root)) enter(root);
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const key = level.keys[level.at];
    if (key === undefined) {
      levels.pop();
      continue;
    }
    if (UNSTORABLE.test(key)) {
      levels.pop();
      return pathTo();
    }
    level.at += 1;
    const child = level.of[key];
    if (typeof child === 'string') {
      if (UNSTORABLE.test(child)) return pathTo();
    } else if (isContainer(child)) enter(child);
  }
  return undefined;
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

function unstorable(path: string): ErrorDetail {
  const problem = 'must not contain NUL characters or lone surrogates';
  return { path, code: 'invalid_format', message: `${path === '' ? 'The body' : path} ${problem}` };
}
