import type { ErrorDetail } from '@parley/contracts';
import { Ajv, type ErrorObject } from 'ajv';
import { isJsonObject, type JsonObject, ownValue } from '../json-object.ts';
import { type Finding, findUnsupported } from './find-unsupported.ts';

/** The schema is compiled to validate arguments: a larger one would block the process for too long. */
const MAX_BYTES = 32 * 1024;
const MAX_WEIGHT = 1_000;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Errors of a tool's `parameters` [tools.10]. Null and `{}` mean no arguments. */
export function checkParameters(parameters: JsonObject | null): ErrorDetail[] {
  if (parameters === null || Object.keys(parameters).length === 0) return [];
  const bytes = Buffer.byteLength(JSON.stringify(parameters));
  if (bytes > MAX_BYTES) return [toDetail(finding([], 'too_big', `must have at most ${MAX_BYTES} bytes`))];
  if (weighSchema(parameters) > MAX_WEIGHT) return [toDetail(finding([], 'too_big', WEIGHT_RULE))];
  if (hasInfinity(parameters)) return [toDetail(finding([], 'too_big', NUMBER_RULE))];
  const findings = [...checkShape(parameters), ...findUnsupported(parameters)];
  if (findings.length > 0) return findings.map(toDetail);
  const problem = compileProblem(parameters);
  return problem ? [toDetail(problem)] : [];
}

const WEIGHT_RULE = `must have at most ${MAX_WEIGHT} keys and list items in total, not counting scalar values of an enum`;

/** `1e400` is valid JSON, but JavaScript would store it as null, and the tool could never be updated again. */
const NUMBER_RULE = 'must not contain numbers beyond the range of a 64-bit float';

function hasInfinity(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasInfinity);
}

function checkShape(parameters: JsonObject): Finding[] {
  const properties = ownValue(parameters, 'properties');
  if (properties === undefined) return [finding(['properties'], 'required', 'is required')];
  if (!isJsonObject(properties)) return [finding(['properties'], 'invalid_type', 'must be an object')];
  const type = ownValue(parameters, 'type');
  const badNames = Object.keys(properties).filter((name) => !NAME.test(name));
  return [
    ...(type === undefined || type === 'object'
      ? []
      : [finding(['type'], 'not_allowed', 'must be "object"')]),
    ...badNames.map((name) => finding(['properties', name], 'invalid_format', NAME_RULE)),
    ...checkRequired(ownValue(parameters, 'required'), properties),
  ];
}

const NAME_RULE =
  'is not a valid parameter name: it must start with a letter or underscore and contain only letters, digits and underscores';

function checkRequired(required: unknown, properties: JsonObject): Finding[] {
  if (required === undefined) return [];
  if (!Array.isArray(required)) return [finding(['required'], 'invalid_type', 'must be a list')];
  return required.flatMap((name, i) =>
    typeof name === 'string' && Object.hasOwn(properties, name)
      ? []
      : [finding(['required', String(i)], 'not_allowed', 'must be the name of a parameter')],
  );
}

function finding(path: string[], code: Finding['code'], message: string): Finding {
  return { path, code, message };
}

function toDetail({ path, code, message }: Finding): ErrorDetail {
  const dotted = ['parameters', ...path].join('.');
  return { path: dotted, code, message: `${dotted} ${message}` };
}

/**
 * Number of keys and array items at any level, which determines the compile time. Scalar values of an `enum` take no time.
 */
function weighSchema(value: unknown, key?: string): number {
  if (typeof value !== 'object' || value === null) return 0;
  const weights = Object.entries(value).map(([name, held]) => {
    const isPlain = typeof held !== 'object' || held === null;
    return key === 'enum' && isPlain ? 0 : 1 + weighSchema(held, name);
  });
  return weights.reduce((sum, weight) => sum + weight, 0);
}

// The optimizer would take ten times as long as the rest, for code that never runs.
const OPTIONS = { strict: false, validateFormats: false, logger: false, code: { optimize: false } } as const;
/** Compiles the meta schema once, which is slow. */
const grammar = new Ajv(OPTIONS);

/**
 * Why arguments cannot be validated against a schema; undefined if they can. `$schema` and `$id` are removed, because
 * generators write dialects and addresses there that are never fetched.
 */
function compileProblem(parameters: JsonObject): Finding | undefined {
  const { $schema: _dialect, $id: _name, ...schema } = parameters;
  if (!grammar.validateSchema(schema)) return toFinding(grammar.errors?.[0]);
  try {
    // A new instance for each schema, because Ajv caches what it has compiled.
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

/** Unescapes a segment of a JSON pointer. */
function unescaped(segment: string): string {
  return segment.replace(/~1/g, '/').replace(/~0/g, '~');
}
