import { isJsonObject, type JsonObject, ownValue } from '../json-object.ts';

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

/** What stands where a schema belongs. */
export type HeldSchema = { schema: unknown; path: string[] };

/** A schema and all that it holds, itself first; of what has a name also what is none. */
export function* schemasIn(root: JsonObject): Generator<HeldSchema> {
  // No recursion: how deep it goes, a client says.
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
    // Of `dependencies` a list holds names of properties.
    const entries = Object.entries(held).filter(
      ([, item]) => keyword !== 'dependencies' || !Array.isArray(item),
    );
    return entries.map(([name, item]) => ({ schema: item, path: [...path, keyword, name] }));
  });
  return [...inLists, ...named];
}
