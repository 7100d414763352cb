import { type Slots, slotFor } from './slots.ts';

/** Limits the work that a schema can cause. */
const MAX_DEPTH = 6;
const MAX_TEXT_CHARACTERS = 200;

type Schema = Readonly<Record<string, unknown>>;
export type Said = { line: string; variables: Readonly<Record<string, unknown>>; slots: Slots };
type Source = Said & { numbers: number[] };

/**
 * Makes a tool's arguments from the conversation by rules: the call's variable of the same name, facts that the human
 * mentioned, the choice that was named or else the first, mentioned numbers, and the line itself for text.
 */
export function makeArguments(parameters: Schema | null, said: Said): Record<string, unknown> {
  const numbers = (said.line.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number);
  return object(parameters ?? {}, { ...said, numbers }, 0);
}

function object(schema: Schema, source: Source, depth: number): Record<string, unknown> {
  const entries = Object.entries(asSchema(schema.properties)).map(([name, property]) => {
    const wanted = asSchema(property);
    const known = candidates(name, wanted, source).find((candidate) => fits(wanted, candidate));
    return [name, known ?? value(wanted, source, depth + 1)];
  });
  return Object.fromEntries(entries);
}

function candidates(name: string, schema: Schema, { variables, slots }: Source): unknown[] {
  const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
  const mentioned = slotFor(name, slots);
  return [variable, typeOf(schema) === 'string' ? mentioned : mentioned && Number(mentioned)];
}

function value(schema: Schema, source: Source, depth: number): unknown {
  if (Array.isArray(schema.enum)) return choice(schema.enum, source.line);
  if (schema.default !== undefined) return schema.default;
  if (depth > MAX_DEPTH) return null;
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
      return source.line.slice(0, limit(schema.maxLength, MAX_TEXT_CHARACTERS));
  }
}

function choice(choices: readonly unknown[], line: string): unknown {
  const said = asWords(line);
  return choices.find((item) => typeof item === 'string' && said.includes(asWords(item))) ?? choices[0];
}

function asWords(text: string): string {
  return ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `;
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
