import { VALIDATED_SCHEMA_KEYWORDS } from '@parley/contracts';

type Json = Record<string, unknown>;

const VALIDATED = new Set<string>(VALIDATED_SCHEMA_KEYWORDS);
const NAMED = new Set(['properties', 'patternProperties', 'dependencies']);
const NESTED = new Set(['items', 'additionalItems', 'additionalProperties', 'contains', 'propertyNames']);
/** Below this depth a schema accepts anything. */
const MAX_DEPTH = 64;

/**
 * A schema reduced to the allowed keywords [tools.10]. A snapshot may contain a schema stored under older rules, and Ajv gives
 * a meaning to more keywords than those rules allowed (`$async`).
 */
export function enforcedSchema(schema: Json, depth = 0): Json {
  if (depth > MAX_DEPTH) return {};
  const kept = Object.entries(schema).filter(([keyword]) => VALIDATED.has(keyword));
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (NAMED.has(keyword) && isObject(value)) return [keyword, eachEntry(value, depth)];
      return [keyword, NESTED.has(keyword) ? nested(value, depth) : value];
    }),
  );
}

function eachEntry(named: Json, depth: number): Json {
  return Object.fromEntries(Object.entries(named).map(([name, value]) => [name, nested(value, depth)]));
}

/** A schema, a list of schemas, or data such as a boolean or a list of names. */
function nested(value: unknown, depth: number): unknown {
  if (Array.isArray(value)) return value.map((item) => nested(item, depth));
  return isObject(value) ? enforcedSchema(value, depth + 1) : value;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
