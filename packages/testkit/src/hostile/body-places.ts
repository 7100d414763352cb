import type { AnyEndpoint } from '@parley/contracts';
import { z } from 'zod';

type JsonSchema = {
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema | boolean;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
};

const MAX_STEPS = 5;

/**
 * The places of a value in an endpoint's body: the body itself, an unknown field, and each field of its schema. Each is a function from
 * the text of the value to the text of the body.
 */
export function placesIn({
  body,
  streamed,
  example,
}: AnyEndpoint): { path: string; wrap: (value: string) => string }[] {
  const whole = body === 'stream' ? streamed : body;
  if (!whole) return [];
  const root = z.toJSONSchema(whole, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  const found = new Set<string>(['unknown_field']);
  walk(root, []);
  return [...found].map((path) => ({ path, wrap: (value) => wrapAt(path.split('.'), value, example) }));

  function walk(schema: JsonSchema, path: string[]): void {
    if (path.length > MAX_STEPS) return;
    if (path.length > 0) found.add(path.join('.'));
    const target = schema.$ref ? root.$defs?.[schema.$ref.split('/').at(-1) ?? ''] : undefined;
    for (const part of [target, ...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
      if (part) walk(part, path);
    for (const [name, field] of Object.entries(schema.properties ?? {})) walk(field, [...path, name]);
    if (typeof schema.items === 'object') walk(schema.items, [...path, '[]']);
  }
}

/** The value at its place, with the other fields of the endpoint's example, so that validation gets as far as possible. */
function wrapAt([name = '', ...rest]: string[], value: string, example: unknown): string {
  const around = typeof example === 'object' && example !== null ? (example as Record<string, unknown>) : {};
  const inside = rest.length === 0 ? value : wrapAt(rest, value, around[name]);
  if (name === '[]') return `[${inside}]`;
  const others = Object.entries(around)
    .filter(([other]) => other !== name)
    .map(([other, field]) => `${JSON.stringify(other)}:${JSON.stringify(field)},`);
  return `{${Array.isArray(example) ? '' : others.join('')}${JSON.stringify(name)}:${inside}}`;
}
