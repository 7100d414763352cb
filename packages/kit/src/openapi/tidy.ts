import type { JsonSchema } from './schemas.ts';

/** Formats whose pattern, which zod writes out, tells a reader nothing more. */
const SPEAKING_FORMATS = new Set(['uuid', 'date-time']);

/**
 * A schema as people read it: without bounds that are only those of exact numbers and patterns that their format tells,
 * and a field that may be null is described where the field is, not inside the alternative.
 */
export function tidy(schema: JsonSchema): JsonSchema {
  const told = Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => !isNoise(schema, key, value))
      .map(([key, value]) => [key, key === 'examples' || key === 'default' ? value : each(value)]),
  );
  return hoistDescription(told);
}

function each(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(each);
  return typeof value === 'object' && value !== null ? tidy(value as JsonSchema) : value;
}

function isNoise({ type, format }: JsonSchema, key: string, value: unknown): boolean {
  if (type === 'integer' && key === 'minimum') return value === Number.MIN_SAFE_INTEGER;
  if (type === 'integer' && key === 'maximum') return value === Number.MAX_SAFE_INTEGER;
  return key === 'pattern' && SPEAKING_FORMATS.has(String(format));
}

function hoistDescription(schema: JsonSchema): JsonSchema {
  const branches = schema.anyOf;
  if ('description' in schema || !Array.isArray(branches) || branches.length !== 2) return schema;
  const [first, second] = branches as JsonSchema[];
  if (second?.type !== 'null' || typeof first?.description !== 'string') return schema;
  const { description, ...inner } = first;
  return { description, ...schema, anyOf: [inner, second] };
}
