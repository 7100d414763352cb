import { type ZodType, z } from 'zod';

type JsonSchema = Readonly<Record<string, unknown>>;

/** As it is received: whole, with the client's own keys anywhere but in `nativeTools`. */
export function receivedConfig(schema: ZodType): JsonSchema {
  return received(jsonSchemaOf(schema, 'output'), true);
}

/**
 * As it is sent: any key may be left out or null, but for what an item of a list can't do without and for the settings of
 * a native tool, of which `enabled` alone may be null. Defaults are told in words: generators of clients make a key
 * required that has one.
 */
export function sentConfig(schema: ZodType): JsonSchema {
  return sent(jsonSchemaOf(schema, 'input'), { isOpen: true, isNullable: () => true });
}

function jsonSchemaOf(schema: ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...told } = z.toJSONSchema(schema, { io });
  return told;
}

function received(
  { default: _, additionalProperties: __, ...schema }: JsonSchema,
  isOpen: boolean,
): JsonSchema {
  const { properties, items } = schema;
  if (isSchema(items)) return { ...schema, items: received(items, isOpen) };
  if (!isSchema(properties)) return schema;
  const inside = eachOf(properties, (child, key) => received(child, isOpen && key !== 'nativeTools'));
  return { ...schema, properties: inside, ...openness(isOpen) };
}

type Rules = { isOpen: boolean; isNullable: (key: string) => boolean };

function sent({ default: fallback, ...schema }: JsonSchema, rules: Rules): JsonSchema {
  const { items, properties } = schema;
  const told = { ...schema, ...withDefault(schema.description, fallback) };
  if (isSchema(items)) return { ...told, items: sent(items, rules) };
  if (!isSchema(properties)) return told;
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const inside = eachOf(properties, (child, key) => {
    const own = sent(child, key === 'nativeTools' ? NATIVE_TOOLS : rules === NATIVE_TOOLS ? ENTRY : rules);
    return required.has(key) || !rules.isNullable(key) ? own : orNull(own);
  });
  return { ...told, properties: inside, ...openness(rules.isOpen) };
}

const NATIVE_TOOLS: Rules = { isOpen: false, isNullable: () => true };
const ENTRY: Rules = { isOpen: false, isNullable: (key) => key === 'enabled' };

function openness(isOpen: boolean): JsonSchema {
  return isOpen ? { additionalProperties: true } : {};
}

function orNull({ description, ...schema }: JsonSchema): JsonSchema {
  return { ...(description === undefined ? {} : { description }), anyOf: [schema, { type: 'null' }] };
}

function withDefault(description: unknown, fallback: unknown): JsonSchema {
  if (fallback === undefined || isSchema(fallback)) return {};
  const words = `Default: \`${JSON.stringify(fallback)}\``;
  return { description: description === undefined ? words : `${description}. ${words}` };
}

function eachOf(properties: JsonSchema, map: (child: JsonSchema, key: string) => JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(properties).map(([key, child]) => [key, map(child as JsonSchema, key)]),
  );
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
