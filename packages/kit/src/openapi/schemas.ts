import { OPEN_ENUM_KEY } from '@parley/contracts';
import { type ZodType, z } from 'zod';
import type { JsonSchema } from './json-schema.ts';
import { STANDARD_SCHEMAS } from './standard-schemas.ts';
import { tidySchema } from './tidy-schema.ts';

export type Schemas = {
  /** `components.schemas`. */
  components: Record<string, JsonSchema>;
  /** `input`: what a client sends, defaults optional; `output`: what it receives. */
  of(schema: ZodType, io: 'input' | 'output'): JsonSchema;
};

/** Zod schemas as JSON Schema; schemas with an id (`.meta({ id })`) become components. */
export function createSchemas(): Schemas {
  const components: Record<string, JsonSchema> = { ...STANDARD_SCHEMAS };
  return {
    components,
    of: (schema, io) => {
      const {
        $schema: _,
        $defs,
        ...own
      } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: leaveOpen }) as JsonSchema;
      for (const [name, definition] of Object.entries(($defs ?? {}) as Record<string, JsonSchema>)) {
        components[name] = relocate(definition);
      }
      return relocate(own);
    },
  };
}

/** Responses may get more fields, and open enums more values, at any time, so clients must accept unknown ones. */
function leaveOpen({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (!jsonSchema[OPEN_ENUM_KEY]) return;
  const { type, enum: values } = jsonSchema;
  delete jsonSchema.type;
  delete jsonSchema.enum;
  delete jsonSchema[OPEN_ENUM_KEY];
  jsonSchema.anyOf = [{ type, enum: values }, { type: 'string' }];
}

function relocate(schema: JsonSchema): JsonSchema {
  const { id: _, ...moved } = JSON.parse(
    JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as JsonSchema;
  return tidySchema(moved);
}
