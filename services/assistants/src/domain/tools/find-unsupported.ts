import type { ErrorDetail } from '@parley/contracts';
import { isJsonObject, type JsonObject, ownValue } from '../json-object.ts';

/** `path` is inside the parameters. */
export type Finding = Omit<ErrorDetail, 'path'> & { path: string[] };

const UNSUPPORTED = ['const', 'oneOf', 'anyOf', 'allOf', 'not', '$ref', 'if', 'then', 'else'];
/** Keywords that hold a schema, a list of schemas or either. */
const HOLD_SCHEMAS = [
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
];
/** Keywords that hold schemas by name: there, `not` and `const` are names like any other. */
const HOLD_NAMED = [
  'properties',
  'patternProperties',
  'dependentSchemas',
  'definitions',
  '$defs',
  'dependencies',
];

/**
 * Keywords that a model can't be told of, wherever they hide: in parameters, nested objects, array items and whatever
 * else holds a schema (spec: POST /v1/tool/custom). Data such as `enum`, `default` and `examples` is not looked into.
 */
export function findUnsupported(schema: JsonObject, path: string[] = []): Finding[] {
  const refused = UNSUPPORTED.filter((keyword) => Object.hasOwn(schema, keyword)).map((keyword) => ({
    path: [...path, keyword],
    code: 'not_allowed' as const,
    message: keyword === 'const' ? 'is not supported: use an enum with one value' : 'is not supported',
  }));
  return [...refused, ...HOLD_SCHEMAS.flatMap(inHeld), ...HOLD_NAMED.flatMap(inNamed)];

  function inHeld(keyword: string): Finding[] {
    const held = ownValue(schema, keyword);
    if (isJsonObject(held)) return findUnsupported(held, [...path, keyword]);
    if (!Array.isArray(held)) return [];
    return held.flatMap((item, i) =>
      isJsonObject(item) ? findUnsupported(item, [...path, keyword, String(i)]) : [],
    );
  }

  function inNamed(keyword: string): Finding[] {
    const named = ownValue(schema, keyword);
    if (!isJsonObject(named)) return [];
    return Object.entries(named).flatMap(([name, item]) => {
      const at = [...path, keyword, name];
      if (isJsonObject(item)) return findUnsupported(item, at);
      // Names of properties that this one depends on.
      if (keyword === 'dependencies' && Array.isArray(item)) return [];
      return [{ path: at, code: 'invalid_type' as const, message: 'must be an object' }];
    });
  }
}
