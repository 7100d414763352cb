import type { AnyEndpoint, ErrorDetail } from '@parley/contracts';
import { AppError, parseInput, validationFailed } from '../errors/index.ts';
import { checkText } from './check-text.ts';
import { parameterNames } from './route-table.ts';

/** Makes the parser of an endpoint's path parameters. A malformed one is 422, or the endpoint's `badIdCode`, such as a 404. */
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
      throw new AppError(badIdCode, 'No resource has this id', { cause });
    }
  };
}

/** Parses the query of a request: a repeated name is an array, unknown names are ignored, invalid values are 422. */
export function readQuery({ query: schema, legacy }: AnyEndpoint, url: string): unknown {
  if (!schema) return {};
  // Without a prototype `__proto__` is an ordinary name.
  const values: Record<string, string | string[]> = Object.create(null);
  const at = url.indexOf('?');
  if (at >= 0) {
    for (const [name, value] of new URLSearchParams(url.slice(at + 1))) {
      // Handlers of legacy routes treat it as any other value without a meaning.
      if (!legacy) checkText(value, name);
      const known = values[name];
      values[name] = known === undefined ? value : [known, value].flat();
    }
  }
  try {
    return parseInput(schema, values);
  } catch (err) {
    throw err instanceof AppError && err.details ? explainRepeated(err, err.details, values) : err;
  }
}

/** Where one value was expected, an array comes from a repeated name: says so instead of naming types. */
function explainRepeated(
  cause: AppError,
  details: readonly ErrorDetail[],
  values: Record<string, string | string[]>,
): AppError {
  const explained = details.map((detail): ErrorDetail => {
    const { path } = detail;
    const isRepeated = Object.hasOwn(values, path) && Array.isArray(values[path]);
    return isRepeated ? { path, code: 'not_allowed', message: `${path} is given more than once` } : detail;
  });
  return validationFailed(explained, cause);
}

function decode(segment: string, name: string): string {
  let text = segment;
  try {
    text = decodeURIComponent(segment);
  } catch {
    // Malformed percent-encoding: the schema validates the text as it is.
  }
  checkText(text, name);
  return text;
}
