import { type ZodType, z } from 'zod';

export type JsonSchema = Record<string, unknown>;

export type Schemas = {
  /** What stands under `components.schemas`. */
  components: Record<string, JsonSchema>;
  /** `input`: what a client sends, defaults optional; `output`: what it receives. */
  of(schema: ZodType, io: 'input' | 'output'): JsonSchema;
};

/** Zod schemas as JSON Schema; those that carry an id (`.meta({ id })`) are told once, as components. */
export function createSchemas(): Schemas {
  const components: Record<string, JsonSchema> = { Error: ERROR, UnauthorizedMessage: UNAUTHORIZED_MESSAGE };
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

function relocate<T>(schema: T): T {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as T;
}

const DETAIL = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'Dotted, such as `contacts.3.phone_number`' },
    code: { type: 'string', description: 'A short stable word, such as `required` or `too_big`' },
    message: { type: 'string' },
  },
  required: ['path', 'code', 'message'],
};

/** The error envelope (spec: Errors; D1.1). */
const ERROR = {
  type: 'object',
  properties: {
    success: { const: false },
    error: {
      type: 'object',
      properties: {
        code: { type: 'string' },
        message: { type: 'string' },
        details: { type: 'array', items: DETAIL },
      },
      required: ['code', 'message'],
    },
  },
  required: ['success', 'error'],
};

/** The 401 of some routes with no `Authorization: Bearer` header at all (D1.2). */
const UNAUTHORIZED_MESSAGE = {
  type: 'object',
  properties: { success: { const: false }, errorMessage: { type: 'string' } },
  required: ['success', 'errorMessage'],
};
