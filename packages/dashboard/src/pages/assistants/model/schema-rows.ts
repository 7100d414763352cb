import { isObject, type JsonObject } from './json.ts';

export const ROW_TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const;
export type RowType = (typeof ROW_TYPES)[number];

/** One argument of a tool, as a form shows it. */
export type SchemaRow = {
  name: string;
  type: RowType;
  description: string;
  required: boolean;
  /** Allowed values of a string; empty: any. */
  choices: string[];
  /** Everything else of the property's schema, which the form keeps and does not show. */
  rest: JsonObject;
};

const SHOWN = ['type', 'description', 'enum'];

/** The rows of a schema; undefined if a form would lose something, so that only JSON can edit it. */
export function toRows(schema: JsonObject | null): SchemaRow[] | undefined {
  if (schema === null || Object.keys(schema).length === 0) return [];
  const { type, properties = {}, required = [], ...others } = schema;
  if (Object.keys(others).some((key) => key !== 'additionalProperties' && key !== 'description'))
    return undefined;
  if ((type !== undefined && type !== 'object') || !isObject(properties) || !Array.isArray(required))
    return undefined;
  const rows = Object.entries(properties).map(([name, property]) => toRow(name, property, required));
  return rows.every((row) => row !== undefined) ? rows : undefined;
}

function toRow(name: string, property: unknown, required: readonly unknown[]): SchemaRow | undefined {
  if (!isObject(property)) return undefined;
  const type = ROW_TYPES.find((known) => known === (property.type ?? 'string'));
  const { description = '', enum: choices = [] } = property;
  if (!type || typeof description !== 'string' || !isTexts(choices)) return undefined;
  if (choices.length > 0 && type !== 'string') return undefined;
  const rest = Object.fromEntries(Object.entries(property).filter(([key]) => !SHOWN.includes(key)));
  return { name, type, description, required: required.includes(name), choices, rest };
}

/** The schema of rows, with what the form does not show of the former one. Null without arguments. */
export function toSchema(rows: readonly SchemaRow[], former: JsonObject | null): JsonObject | null {
  if (rows.length === 0) return null;
  const { type: _, properties: __, required: ___, ...others } = former ?? {};
  const required = rows.filter((row) => row.required).map(({ name }) => name);
  const properties = Object.fromEntries(rows.map((row) => [row.name, toProperty(row)]));
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}), ...others };
}

function toProperty({ type, description, choices, rest }: SchemaRow): JsonObject {
  const kept = Object.entries(rest).filter(([key]) => isOf(type, key));
  return {
    type,
    ...(description.trim() === '' ? {} : { description }),
    ...(type === 'string' && choices.length > 0 ? { enum: choices } : {}),
    ...Object.fromEntries(kept),
  };
}

const ONLY_OF: Readonly<Record<string, RowType>> = {
  items: 'array',
  properties: 'object',
  required: 'object',
};

function isOf(type: RowType, keyword: string): boolean {
  return (ONLY_OF[keyword] ?? type) === type;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** What is wrong with the name of an argument, a tool or an analysis field; undefined: nothing. */
export function nameProblem(name: string, others: readonly string[]): string | undefined {
  if (name === '') return 'Enter a name';
  if (!NAME.test(name)) return 'Letters, digits and underscores only, not beginning with a digit';
  if (name.length > 64) return 'At most 64 characters';
  return others.includes(name) ? 'Another one has this name' : undefined;
}
