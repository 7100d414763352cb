import type { AnyEndpoint, ErrorDetail } from '@parley/contracts';
import { AppError, parseInput, validationFailed } from '../errors/index.ts';
import { checkText } from './check-text.ts';
import { parameterNames } from './route-table.ts';

/**
 * Reads the parameters of an endpoint's path. A malformed one is 422, or the endpoint's `badIdCode` (D1.4):
 * campaigns and legacy routes have nothing there.
 */
export function createReadParams({
  path,
  params: schema,
  badIdCode,
}: AnyEndpoint): (segments: string[]) => unknown {
  const names = parameterNames(path);
  return (segments) => {
    if (!schema) return {};
    try {
      const values = names.map((name, i) => [name, decode(segments[i] ?? '', name)]);
      return parseInput(schema, Object.fromEntries(values));
    } catch (cause) {
      if (badIdCode === undefined) throw cause;
      throw new AppError(badIdCode, 'Nothing has this id', { cause });
    }
  };
}

/** Reads the query of a request: a name that repeats is an array, unknown names are ignored, bad values are 422. */
export function readQuery({ query: schema }: AnyEndpoint, url: string): unknown {
  if (!schema) return {};
  // Without a prototype, a name such as `__proto__` is a name like any other.
  const values: Record<string, string | string[]> = Object.create(null);
  const at = url.indexOf('?');
  if (at >= 0) {
    for (const [name, value] of new URLSearchParams(url.slice(at + 1))) {
      checkText(value, name);
      const known = values[name];
      values[name] = known === undefined ? value : [known, value].flat();
    }
  }
  try {
    return parseInput(schema, values);
  } catch (err) {
    throw err instanceof AppError && err.details ? tellRepeated(err, err.details, values) : err;
  }
}

/** A list stands where one value belongs: to whoever wrote the query, that is a name given twice. */
function tellRepeated(
  cause: AppError,
  details: readonly ErrorDetail[],
  values: Record<string, string | string[]>,
): AppError {
  const told = details.map((detail): ErrorDetail => {
    const { path } = detail;
    const isRepeated = Object.hasOwn(values, path) && Array.isArray(values[path]);
    return isRepeated ? { path, code: 'not_allowed', message: `${path} is given more than once` } : detail;
  });
  return validationFailed(told, cause);
}

function decode(segment: string, name: string): string {
  let text = segment;
  try {
    text = decodeURIComponent(segment);
  } catch {
    // Not an encoding at all: taken as it is, the schema will have its say.
  }
  checkText(text, name);
  return text;
}
