import { type ZodType, z } from 'zod';

type JsonSchema = Readonly<Record<string, unknown>>;

/** Schema of a configuration in responses: complete; clients' own keys are allowed anywhere except in `nativeTools`. */
export function receivedConfig(schema: ZodType): JsonSchema {
  return received(jsonSchemaOf(schema, 'output'), true);
}

/**
 * Schema of a configuration in requests: every key is optional and nullable, except required keys of list items and settings
 * of native tools other than `enabled`. Defaults are part of the descriptions, because client generators make a key with a
 * default required.
 */
export function sentConfig(schema: ZodType): JsonSchema {
  return sent(jsonSchemaOf(schema, 'input'), { isOpen: true, isNullable: () => true });
}

function jsonSchemaOf(schema: ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, { io });
  return jsonSchema;
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
  const described = { ...schema, ...withDefault(schema.description, fallback) };
  if (isSchema(items)) return { ...described, items: sent(items, rules) };
  if (!isSchema(properties)) return described;
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const inside = eachOf(properties, (child, key) => {
    const own = sent(child, key === 'nativeTools' ? NATIVE_TOOLS : rules === NATIVE_TOOLS ? ENTRY : rules);
    return required.has(key) || !rules.isNullable(key) ? own : orNull(own);
  });
  return { ...described, properties: inside, ...openness(rules.isOpen) };
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
  const text = `Default: \`${JSON.stringify(fallback)}\``;
  return { description: description === undefined ? text : `${description}. ${text}` };
}

function eachOf(properties: JsonSchema, map: (child: JsonSchema, key: string) => JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(properties).map(([key, child]) => [key, map(child as JsonSchema, key)]),
  );
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
