import { type ZodType, z } from 'zod';
import { STANDARD_SCHEMAS } from './standard-schemas.ts';
import { tidy } from './tidy.ts';

export type JsonSchema = Record<string, unknown>;

export type Schemas = {
  /** What stands under `components.schemas`. */
  components: Record<string, JsonSchema>;
  /** `input`: what a client sends, defaults optional; `output`: what it receives. */
  of(schema: ZodType, io: 'input' | 'output'): JsonSchema;
};

/** Zod schemas as JSON Schema; those that carry an id (`.meta({ id })`) are told once, as components. */
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

/** Answers may get more fields at any time, and who checks them must not mind (spec: Versioning). */
function leaveOpen({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
}

function relocate(schema: JsonSchema): JsonSchema {
  const { id: _, ...moved } = JSON.parse(
    JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as JsonSchema;
  return tidy(moved);
}
