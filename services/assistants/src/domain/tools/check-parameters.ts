import type { ErrorDetail } from '@parley/contracts';
import { isJsonObject, type JsonObject, ownValue } from '../json-object.ts';
import { compileProblem } from './compile-problem.ts';
import { type Finding, findUnsupported } from './find-unsupported.ts';
import { weighSchema } from './weigh-schema.ts';

/** Whoever checks arguments compiles it: what is larger would hold the process for too long. */
const MAX_BYTES = 32 * 1024;
const MAX_WEIGHT = 1_000;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * What is wrong with a tool's `parameters` (spec: POST /v1/tool/custom). Null and `{}` mean no arguments; anything else
 * is an object schema whose properties can be declared to a model.
 */
export function checkParameters(parameters: JsonObject | null): ErrorDetail[] {
  if (parameters === null || Object.keys(parameters).length === 0) return [];
  const bytes = Buffer.byteLength(JSON.stringify(parameters));
  if (bytes > MAX_BYTES) return [toDetail(finding([], 'too_big', `must have at most ${MAX_BYTES} bytes`))];
  if (weighSchema(parameters) > MAX_WEIGHT) return [toDetail(finding([], 'too_big', WEIGHT_RULE))];
  if (holdsInfinity(parameters)) return [toDetail(finding([], 'too_big', NUMBER_RULE))];
  const findings = [...checkShape(parameters), ...findUnsupported(parameters)];
  if (findings.length > 0) return findings.map(toDetail);
  const problem = compileProblem(parameters);
  return problem ? [toDetail(problem)] : [];
}

const WEIGHT_RULE = `must have at most ${MAX_WEIGHT} keys and list items in all, plain values of an enum aside`;

/** `1e400` is JSON, but has no number here: it would be stored as null, and the tool could never be changed again. */
const NUMBER_RULE = 'must not hold numbers beyond the range of a 64-bit float';

function holdsInfinity(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsInfinity);
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
  'is not a parameter name: it must begin with a letter or underscore and hold letters, digits and underscores alone';

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
