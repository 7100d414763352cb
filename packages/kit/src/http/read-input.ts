import type { AnyEndpoint, ErrorDetail } from '@parley/contracts';
import { AppError, parseInput, validationFailed } from '../errors/index.ts';
import { checkText } from './check-text.ts';

type Values = Readonly<Record<string, unknown>>;

/** Parses the parameters of a path. A malformed one is 422, or the endpoint's `badIdCode`, such as a 404. */
export function readParams({ params: schema, badIdCode }: AnyEndpoint, values: Values): unknown {
  if (!schema) return {};
  try {
    checkTexts(values);
    return parseInput(schema, values);
  } catch (cause) {
    if (badIdCode === undefined) throw cause;
    throw new AppError(badIdCode, 'No resource has this id', { cause });
  }
}

/** Parses the query of a request: a repeated name is an array, unknown names are ignored, invalid values are 422. */
export function readQuery({ query: schema, legacy }: AnyEndpoint, values: Values): unknown {
  if (!schema) return {};
  // Handlers of legacy routes ignore such values like other invalid ones.
  if (!legacy) checkTexts(values);
  try {
    return parseInput(schema, values);
  } catch (err) {
    throw err instanceof AppError && err.details ? explainRepeated(err, err.details, values) : err;
  }
}

/** If one value was expected, an array means a repeated name: the error says so instead of naming types. */
function explainRepeated(cause: AppError, details: readonly ErrorDetail[], values: Values): AppError {
  const explained = details.map((detail): ErrorDetail => {
    const { path } = detail;
    const isRepeated = Object.hasOwn(values, path) && Array.isArray(values[path]);
    return isRepeated ? { path, code: 'not_allowed', message: `${path} is given more than once` } : detail;
  });
  return validationFailed(explained, cause);
}

function checkTexts(values: Values): void {
  for (const [name, value] of Object.entries(values))
    for (const text of [value].flat()) checkText(String(text), name);
}
