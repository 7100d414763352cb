import {
  DESCRIPTIVE_SCHEMA_KEYWORDS,
  type ErrorDetail,
  NAMING_SCHEMA_KEYWORDS,
  VALIDATED_SCHEMA_KEYWORDS,
} from '@parley/contracts';
import { isJsonObject, type JsonObject, ownValue } from '../json-object.ts';

/** `path` is relative to the parameters. */
export type Finding = Omit<ErrorDetail, 'path'> & { path: string[] };

const VALIDATED = new Set<string>(VALIDATED_SCHEMA_KEYWORDS);
const ALLOWED = new Set<string>([...VALIDATED, ...DESCRIPTIVE_SCHEMA_KEYWORDS]);
const ALLOWED_AT_ROOT = new Set<string>([...ALLOWED, ...NAMING_SCHEMA_KEYWORDS]);
/** Vendor annotations: shown to the model, never compiled. */
const EXTENSION = /^x-/;
/** Compiling takes about 0.1 ms for each nested schema. */
const MAX_SCHEMAS = 300;

/**
 * Keywords outside of the allow list, and values that the validator cannot compile, in all nested schemas [tools.10]. Data
 * such as `enum`, `default` and `examples` is not searched.
 */
export function findUnsupported(parameters: JsonObject): Finding[] {
  const held: NestedSchema[] = [];
  for (const one of schemasIn(parameters)) {
    if (held.push(one) > MAX_SCHEMAS) return [{ path: [], code: 'too_big', message: TOO_MANY }];
  }
  return held.flatMap(({ schema, path, isCompiled }) => {
    if (!isJsonObject(schema)) return [{ path, code: 'invalid_type', message: 'must be an object' }];
    return [...refusedIn(schema, path), ...(isCompiled ? notCompiledIn(schema, path) : [])];
  });
}

const TOO_MANY = `must have at most ${MAX_SCHEMAS} schemas, including nested ones`;

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

/** Errors that the meta schema accepts and for which Ajv throws without a path. */
function notCompiledIn(schema: JsonObject, path: string[]): Finding[] {
  const pattern = ownValue(schema, 'pattern');
  const named = ownValue(schema, 'patternProperties');
  const patterns = [
    ...(typeof pattern === 'string' ? [{ pattern, at: ['pattern'] }] : []),
    ...Object.keys(isJsonObject(named) ? named : {}).map((key) => ({
      pattern: key,
      at: ['patternProperties', key],
    })),
  ];
  const bad = patterns.filter((one) => !isPattern(one.pattern));
  return [
    ...bad.map(({ at }) =>
      invalid([...path, ...at], 'is not a valid JavaScript regular expression (flag u)'),
    ),
    ...(isUntypedNullable(schema)
      ? [invalid([...path, 'nullable'], 'requires a type, and must not be false for type null')]
      : []),
  ];
}

function invalid(path: string[], message: string): Finding {
  return { path, code: 'invalid_format', message };
}

function isPattern(text: string): boolean {
  try {
    return Boolean(new RegExp(text, 'u'));
  } catch {
    return false;
  }
}

function isUntypedNullable(schema: JsonObject): boolean {
  const nullable = ownValue(schema, 'nullable');
  const types = [ownValue(schema, 'type') ?? []].flat();
  if (types.includes('null')) return nullable === false;
  return nullable !== undefined && types.length === 0;
}

/** Keywords whose value is a schema or an array of schemas. */
const SCHEMA_KEYWORDS = [
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
const NAMED_SCHEMA_KEYWORDS = [
  'properties',
  'patternProperties',
  'dependentSchemas',
  'definitions',
  '$defs',
  'dependencies',
];

/** A value at the position of a schema. `isCompiled`: the validator applies it; those of `$defs` are for the model only. */
type NestedSchema = { schema: unknown; path: string[]; isCompiled: boolean };

/** A schema and all nested ones, the root first; under named keywords also values that are not schemas. */
function* schemasIn(root: JsonObject): Generator<NestedSchema> {
  // Iterative, because the depth is under the client's control.
  const waiting: NestedSchema[] = [{ schema: root, path: [], isCompiled: true }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    yield next;
    const { schema, path, isCompiled } = next;
    if (!isJsonObject(schema)) continue;
    const held = nestedIn(schema).map(({ keyword, name, schema }) => ({
      schema,
      path: [...path, keyword, ...(name === undefined ? [] : [name])],
      isCompiled: isCompiled && VALIDATED.has(keyword),
    }));
    waiting.push(...held.reverse());
  }
}

function nestedIn(schema: JsonObject): { keyword: string; name?: string; schema: unknown }[] {
  const inLists = SCHEMA_KEYWORDS.flatMap((keyword) => {
    const held = ownValue(schema, keyword);
    if (isJsonObject(held)) return [{ keyword, schema: held }];
    if (!Array.isArray(held)) return [];
    return held.flatMap((item, i) =>
      isJsonObject(item) ? [{ keyword, name: String(i), schema: item }] : [],
    );
  });
  const named = NAMED_SCHEMA_KEYWORDS.flatMap((keyword) => {
    const held = ownValue(schema, keyword);
    if (!isJsonObject(held)) return [];
    // An array under `dependencies` lists property names.
    const entries = Object.entries(held).filter(
      ([, item]) => keyword !== 'dependencies' || !Array.isArray(item),
    );
    return entries.map(([name, item]) => ({ keyword, name, schema: item }));
  });
  return [...inLists, ...named];
}
