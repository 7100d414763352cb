import {
  DESCRIPTIVE_SCHEMA_KEYWORDS,
  type ErrorDetail,
  NAMING_SCHEMA_KEYWORDS,
  VALIDATED_SCHEMA_KEYWORDS,
} from '@parley/contracts';
import { isJsonObject, type JsonObject, ownValue } from '../json-object.ts';

/** `path` is relative to the parameters. */
export type Finding = Omit<ErrorDetail, 'path'> & { path: string[] };

const ALLOWED = new Set<string>([...VALIDATED_SCHEMA_KEYWORDS, ...DESCRIPTIVE_SCHEMA_KEYWORDS]);
const ALLOWED_AT_ROOT = new Set<string>([...ALLOWED, ...NAMING_SCHEMA_KEYWORDS]);
/** Vendor annotations: shown to the model, never compiled. */
const EXTENSION = /^x-/;
/** Compiling takes about 0.1 ms for each nested schema. */
const MAX_SCHEMAS = 300;

/**
 * Keywords outside of the allow list, in all nested schemas [tools.10]. Data such as `enum`, `default` and `examples` is
 * not searched.
 */
export function findUnsupported(parameters: JsonObject): Finding[] {
  const held: HeldSchema[] = [];
  for (const one of schemasIn(parameters)) {
    if (held.push(one) > MAX_SCHEMAS) return [{ path: [], code: 'too_big', message: TOO_MANY }];
  }
  return held.flatMap(({ schema, path }) =>
    isJsonObject(schema)
      ? refusedIn(schema, path)
      : [{ path, code: 'invalid_type', message: 'must be an object' }],
  );
}

const TOO_MANY = `must have at most ${MAX_SCHEMAS} parameters and other schemas, nested ones included`;

function refusedIn(schema: JsonObject, path: string[]): Finding[] {
  const allowed = path.length === 0 ? ALLOWED_AT_ROOT : ALLOWED;
  return Object.keys(schema)
    .filter((keyword) => !allowed.has(keyword) && !EXTENSION.test(keyword))
    .map((keyword) => ({
      path: [...path, keyword],
      code: 'not_allowed',
      message: keyword === 'const' ? 'is not supported: use an enum with one value' : 'is not supported',
    }));
}

/** Keywords whose value is a schema or an array of schemas. */
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
/** Keywords whose value is an object of schemas; its keys are names, even `not` and `const`. */
const HOLD_NAMED = [
  'properties',
  'patternProperties',
  'dependentSchemas',
  'definitions',
  '$defs',
  'dependencies',
];

/** A value at the position of a schema. */
type HeldSchema = { schema: unknown; path: string[] };

/** A schema and all nested ones, the root first; under named keywords also values that are not schemas. */
function* schemasIn(root: JsonObject): Generator<HeldSchema> {
  // Iterative, because the depth is under the client's control.
  const waiting: HeldSchema[] = [{ schema: root, path: [] }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    yield next;
    const { schema, path } = next;
    if (isJsonObject(schema)) waiting.push(...heldBy(schema, path).reverse());
  }
}

function heldBy(schema: JsonObject, path: string[]): HeldSchema[] {
  const inLists = HOLD_SCHEMAS.flatMap((keyword) => {
    const held = ownValue(schema, keyword);
    const at = [...path, keyword];
    if (isJsonObject(held)) return [{ schema: held, path: at }];
    if (!Array.isArray(held)) return [];
    return held.flatMap((item, i) =>
      isJsonObject(item) ? [{ schema: item, path: [...at, String(i)] }] : [],
    );
  });
  const named = HOLD_NAMED.flatMap((keyword) => {
    const held = ownValue(schema, keyword);
    if (!isJsonObject(held)) return [];
    // An array under `dependencies` lists property names.
    const entries = Object.entries(held).filter(
      ([, item]) => keyword !== 'dependencies' || !Array.isArray(item),
    );
    return entries.map(([name, item]) => ({ schema: item, path: [...path, keyword, name] }));
  });
  return [...inLists, ...named];
}
