import type { JsonSchema } from './json-schema.ts';

/** Formats whose pattern, which zod adds, is redundant. */
const KNOWN_FORMATS = new Set(['uuid', 'date-time']);

/**
 * A schema for readers: without the bounds of safe integers and without patterns that the format implies. The description of a nullable
 * field moves from the alternative to the field.
 */
export function tidySchema(schema: JsonSchema): JsonSchema {
  const kept = Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => !isNoise(schema, key, value))
      .map(([key, value]) => [key, key === 'examples' || key === 'default' ? value : each(value)]),
  );
  return hoistDescription(kept);
}

function each(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(each);
  return typeof value === 'object' && value !== null ? tidySchema(value as JsonSchema) : value;
}

function isNoise({ type, format }: JsonSchema, key: string, value: unknown): boolean {
  if (type === 'integer' && key === 'minimum') return value === Number.MIN_SAFE_INTEGER;
  if (type === 'integer' && key === 'maximum') return value === Number.MAX_SAFE_INTEGER;
  return key === 'pattern' && KNOWN_FORMATS.has(String(format));
}

function hoistDescription(schema: JsonSchema): JsonSchema {
  const branches = schema.anyOf;
  if ('description' in schema || !Array.isArray(branches) || branches.length !== 2) return schema;
  const [first, second] = branches as JsonSchema[];
  if (second?.type !== 'null' || typeof first?.description !== 'string') return schema;
  const { description, ...inner } = first;
  return { description, ...schema, anyOf: [inner, second] };
}
