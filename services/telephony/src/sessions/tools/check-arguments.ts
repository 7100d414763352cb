import { monotonicMs } from '@parley/kit/time';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { bounded, cpuMs, isOverdue } from './bounded.ts';
import { enforcedSchema } from './enforced-schema.ts';
import { createTimeBudget } from './time-budget.ts';

/** The assistants service validated the schema when it was saved; here it is only applied. */
const OPTIONS = {
  strict: false,
  validateFormats: false,
  logger: false,
  meta: false,
  validateSchema: false,
  code: { optimize: false },
} as const;

const COMPILE_TIMEOUT_MS = 500;
const CHECK_TIMEOUT_MS = 50;
const MAX_ERROR_CHARACTERS = 500;
/** Calls of one assistant share its compiled schemas, least recently used first out. */
const MAX_COMPILED = 200;
/** An ordinary check takes less than a tenth of a millisecond; a hostile pattern takes `CHECK_TIMEOUT_MS` each time. */
const BUDGET = { share: 0.05, burstMs: 500 };

const TOO_SLOW =
  'The arguments could not be checked against the schema in time: simplify the patterns in its parameters';

type Parameters = Record<string, unknown>;
type Check = (args: Record<string, unknown>) => string | null;

/**
 * What is wrong with the arguments according to the tool's JSON Schema [tools.10]; null if they fit. Arguments that cannot
 * be checked in time, or after the workspace has used up its CPU time for checks, are refused: only a pattern with
 * catastrophic backtracking takes that long. A stored schema that does not compile accepts anything.
 */
export type ArgumentCheck = (
  workspaceId: string,
  parameters: Parameters | null,
  args: Record<string, unknown>,
) => string | null;

export function createArgumentCheck(nowMs = monotonicMs, usedMs = cpuMs): ArgumentCheck {
  const compiled = new Map<Parameters, Check>();
  const budget = createTimeBudget({ ...BUDGET, nowMs });

  const checkOf = (parameters: Parameters): Check => {
    const check = compiled.get(parameters) ?? compile(parameters);
    compiled.delete(parameters);
    compiled.set(parameters, check);
    const [oldest] = compiled.keys();
    if (compiled.size > MAX_COMPILED && oldest !== undefined) compiled.delete(oldest);
    return check;
  };

  return (workspaceId, parameters, args) => {
    if (!parameters || Object.keys(parameters).length === 0) return null;
    if (!budget.hasRoom(workspaceId)) return TOO_SLOW;
    // Compiling is bounded by the limits of a schema and happens once per schema: only checks use up the budget.
    const check = checkOf(parameters);
    const startedMs = usedMs();
    const wrong = check(args);
    budget.spend(workspaceId, usedMs() - startedMs);
    return wrong;
  };
}

function compile(parameters: Parameters): Check {
  try {
    // One Ajv per schema, because an instance never frees what it compiled.
    const ajv = new Ajv(OPTIONS);
    const validate = bounded(COMPILE_TIMEOUT_MS, () =>
      ajv.compile({ type: 'object', ...enforcedSchema(parameters) }),
    );
    return (args) => errorOf(ajv, validate, args);
  } catch (err) {
    return () => (isOverdue(err) ? TOO_SLOW : null);
  }
}

function errorOf(ajv: Ajv, validate: ValidateFunction, args: Record<string, unknown>): string | null {
  try {
    const result: unknown = bounded(CHECK_TIMEOUT_MS, () => validate(args));
    if (result === true) return null;
    // An asynchronous validator returns a promise: not a verdict, and its rejection must be handled.
    if (typeof result !== 'boolean') Promise.resolve(result).catch(() => {});
    return complaint(ajv, validate.errors);
  } catch (err) {
    // A keyword of an older schema that the validator cannot apply.
    return isOverdue(err) ? TOO_SLOW : null;
  }
}

function complaint(ajv: Ajv, errors: ErrorObject[] | null | undefined): string {
  const text = ajv.errorsText(errors, { dataVar: 'arguments' }).slice(0, MAX_ERROR_CHARACTERS);
  return `The arguments do not fit the tool: ${text}`;
}
