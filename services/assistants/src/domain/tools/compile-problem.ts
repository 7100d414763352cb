import { Ajv, type ErrorObject } from 'ajv';
import type { JsonObject } from '../json-object.ts';
import type { Finding } from './find-unsupported.ts';

// The optimizer of generated code takes ten times as long as all the rest, and this code never runs.
const OPTIONS = { strict: false, validateFormats: false, logger: false, code: { optimize: false } } as const;
/** Knows the grammar of schemas, which takes long to compile, and keeps nothing else. */
const grammar = new Ajv(OPTIONS);

/**
 * Why a schema is no JSON Schema that arguments can be checked by; undefined when it is one. `$schema` and `$id` only
 * name it: they are left out, since generators write dialects and addresses there that nobody here fetches.
 */
export function compileProblem(parameters: JsonObject): Finding | undefined {
  const { $schema: _dialect, $id: _name, ...schema } = parameters;
  if (!grammar.validateSchema(schema)) return toFinding(grammar.errors?.[0]);
  try {
    // A new one for each schema: it would keep what it has compiled, for ever.
    new Ajv({ ...OPTIONS, meta: false, validateSchema: false }).compile(schema);
    return undefined;
  } catch (err) {
    const reason = err instanceof Error ? err.message : String(err);
    return {
      path: [],
      code: 'invalid_format',
      message: `is not a valid JSON Schema: ${reason.slice(0, 200)}`,
    };
  }
}

function toFinding(error: ErrorObject | undefined): Finding {
  const path = (error?.instancePath ?? '').split('/').slice(1).map(unescaped);
  return {
    path,
    code: 'invalid_format',
    message: `is not valid JSON Schema: it ${error?.message ?? 'is wrong'}`,
  };
}

/** Of a JSON pointer. */
function unescaped(segment: string): string {
  return segment.replace(/~1/g, '/').replace(/~0/g, '~');
}
