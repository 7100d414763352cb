import type { ErrorDetail } from '@parley/contracts';
import { validationFailed } from '../errors/index.ts';

/** Deeper bodies are refused before anything recurses into them. */
const MAX_DEPTH = 100;

/** NUL and lone surrogates, as no Postgres text can hold them. */
const UNSTORABLE = /\0|\p{Surrogate}/u;
/** How JSON must spell them: bodies without these letters need no look at their strings. */
const UNSTORABLE_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;

/** Refuses text of a path or query that the database can't hold (422). */
export function checkText(text: string, path: string): void {
  if (UNSTORABLE.test(text)) throw validationFailed([unstorable(path)]);
}

/** Refuses bodies that are nested too deeply, or whose strings or keys the database can't hold (422). */
export function checkJson(value: unknown, source: string): void {
  walk(value, UNSTORABLE_ESCAPE.test(source), []);
}

function walk(value: unknown, withStrings: boolean, path: string[]): void {
  if (typeof value === 'string') {
    if (withStrings) checkText(value, path.join('.'));
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (path.length >= MAX_DEPTH) {
    throw validationFailed([
      {
        path: path.slice(0, 3).join('.'),
        code: 'too_big',
        message: `${path.slice(0, 3).join('.')} is nested deeper than ${MAX_DEPTH} levels`,
      },
    ]);
  }
  for (const [key, child] of Object.entries(value)) {
    if (withStrings) checkText(key, path.join('.'));
    if (withStrings || typeof child === 'object') walk(child, withStrings, [...path, key]);
  }
}

function unstorable(path: string): ErrorDetail {
  const words = 'must not contain NUL characters or lone surrogates';
  return { path, code: 'invalid_format', message: `${path === '' ? 'The body' : path} ${words}` };
}
