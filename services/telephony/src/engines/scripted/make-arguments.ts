/** Nobody needs deeper arguments, and a schema may not hold the process. */
const DEEPEST = 6;
const LONGEST_TEXT = 200;

type Schema = Readonly<Record<string, unknown>>;
type Source = { line: string; numbers: number[]; variables: Readonly<Record<string, unknown>> };

/**
 * Arguments for a tool out of what was said, by rules: a variable of the call of the same name, a choice's first value,
 * numbers as they were named, and the line itself for text.
 */
export function makeArguments(
  parameters: Schema | null,
  line: string,
  variables: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const numbers = (line.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number);
  return object(parameters ?? {}, { line, numbers, variables }, 0);
}

function object(schema: Schema, source: Source, depth: number): Record<string, unknown> {
  const entries = Object.entries(asSchema(schema.properties)).map(([name, property]) => {
    const known = Object.hasOwn(source.variables, name) ? source.variables[name] : undefined;
    return [name, fits(asSchema(property), known) ? known : value(asSchema(property), source, depth + 1)];
  });
  return Object.fromEntries(entries);
}

function value(schema: Schema, source: Source, depth: number): unknown {
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (schema.default !== undefined) return schema.default;
  if (depth > DEEPEST) return null;
  switch (typeOf(schema)) {
    case 'integer':
      return Math.round(number(schema, source));
    case 'number':
      return number(schema, source);
    case 'boolean':
      return !/\b(?:no|not|don't)\b/i.test(source.line);
    case 'array':
      return [value(asSchema(schema.items), source, depth + 1)];
    case 'object':
      return object(schema, source, depth);
    case 'null':
      return null;
    default:
      return source.line.slice(0, limit(schema.maxLength, LONGEST_TEXT));
  }
}

function number(schema: Schema, source: Source): number {
  const min = limit(schema.minimum, Number.NEGATIVE_INFINITY);
  const max = limit(schema.maximum, Number.POSITIVE_INFINITY);
  const said = source.numbers.shift() ?? Math.max(1, min);
  return Math.min(Math.max(said, min), max);
}

function fits(schema: Schema, known: unknown): boolean {
  if (known === undefined || known === null) return false;
  if (Array.isArray(schema.enum)) return schema.enum.includes(known);
  const type = typeOf(schema);
  return type === 'integer' ? Number.isInteger(known) : type === typeof known;
}

function typeOf({ type }: Schema): unknown {
  return Array.isArray(type) ? type[0] : type;
}

function limit(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}

function asSchema(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {};
}
