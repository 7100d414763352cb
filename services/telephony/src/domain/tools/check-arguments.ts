import { Ajv, type ErrorObject } from 'ajv';
import { bounded } from './bounded.ts';

/** The assistants service has judged the schema when it was saved: here it is only used. */
const OPTIONS = {
  strict: false,
  validateFormats: false,
  logger: false,
  meta: false,
  validateSchema: false,
  code: { optimize: false },
} as const;

const COMPILES_MS = 500;
const CHECKS_MS = 50;
const LONGEST_COMPLAINT = 500;
/** Calls of one assistant share its compiled schemas; the ones that were not used for longest go. */
const MOST_COMPILED = 200;

type Parameters = Record<string, unknown>;
type Check = (args: Record<string, unknown>) => string | null;

const compiled = new Map<Parameters, Check>();

/**
 * What is wrong with the arguments by the tool's JSON Schema; null: nothing. A schema that can't be read, or takes too
 * long, holds nothing up.
 */
export function checkArguments(parameters: Parameters | null, args: Record<string, unknown>): string | null {
  if (!parameters || Object.keys(parameters).length === 0) return null;
  return checkOf(parameters)(args);
}

function checkOf(parameters: Parameters): Check {
  const check = compiled.get(parameters) ?? compile(parameters);
  compiled.delete(parameters);
  compiled.set(parameters, check);
  const [oldest] = compiled.keys();
  if (compiled.size > MOST_COMPILED && oldest !== undefined) compiled.delete(oldest);
  return check;
}

/** `$schema` and `$id` only name a schema: dialects and addresses that nobody here fetches. */
function compile({ $schema: _dialect, $id: _name, ...parameters }: Parameters): Check {
  try {
    // An Ajv of its own for each: one keeps whatever it has compiled, for ever.
    const ajv = new Ajv(OPTIONS);
    const validate = bounded(COMPILES_MS, () => ajv.compile({ type: 'object', ...parameters }));
    return (args) => (passes(() => validate(args)) ? null : complaint(ajv, validate.errors));
  } catch {
    return () => null;
  }
}

function passes(validate: () => boolean): boolean {
  try {
    return bounded(CHECKS_MS, validate);
  } catch {
    return true;
  }
}

function complaint(ajv: Ajv, errors: ErrorObject[] | null | undefined): string {
  const text = ajv.errorsText(errors, { dataVar: 'arguments' }).slice(0, LONGEST_COMPLAINT);
  return `The arguments do not fit the tool: ${text}`;
}
