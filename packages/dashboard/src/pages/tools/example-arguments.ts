import { isObject, type JsonObject } from '../assistants/model/json.ts';

const MAX_DEPTH = 5;

/** Arguments that fit a schema, to begin with. */
export function exampleArguments(schema: JsonObject | null): JsonObject {
  const value = schema === null ? {} : example({ type: 'object', ...schema }, 0);
  return isObject(value) ? value : {};
}

function example(schema: JsonObject, depth: number): unknown {
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (schema.default !== undefined) return schema.default;
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'object' || isObject(schema.properties)) return object(schema, depth);
  if (type === 'array')
    return depth < MAX_DEPTH && isObject(schema.items) ? [example(schema.items, depth + 1)] : [];
  if (type === 'number' || type === 'integer') return typeof schema.minimum === 'number' ? schema.minimum : 1;
  if (type === 'boolean') return true;
  return type === 'null' ? null : '';
}

function object({ properties }: JsonObject, depth: number): JsonObject {
  if (!isObject(properties) || depth >= MAX_DEPTH) return {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      isObject(property) ? example(property, depth + 1) : null,
    ]),
  );
}
