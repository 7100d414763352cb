import { createCache } from '@parley/kit/cache';
import { createTimeBudget } from '@parley/kit/concurrency';
import { monotonicMs } from '@parley/kit/time';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { bounded, cpuMs, isOverdue } from './bounded.ts';
import { enforcedSchema } from './enforced-schema.ts';

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
/** Calls share compiled schemas, also those of other versions of an assistant. A compiled schema takes about 45 bytes per character. */
const MAX_COMPILED = 200;
const MAX_COMPILED_CHARACTERS = 512 * 1024;
/**
 * An ordinary check takes less than a tenth of a millisecond, and compiling a schema a few; a hostile pattern takes `CHECK_TIMEOUT_MS` each
 * time.
 */
const BUDGET = { share: 0.05, burstMs: 500 };

const TOO_SLOW =
  'The arguments could not be checked against the schema in time: simplify the patterns in its parameters';

const NOT_CHECKED = 'The arguments do not fit the tool: they could not be checked against its schema';

type Parameters = Record<string, unknown>;
type Check = { run: (args: Record<string, unknown>) => string | null; characters: number };

/**
 * What is wrong with the arguments according to the tool's JSON Schema [tools.10]; null if they fit. Arguments that cannot
 * be checked in time, or after the workspace has used up its CPU time for checks, are refused: only a pattern with
 * catastrophic backtracking takes that long. So are those of a stored schema that does not compile.
 */
export type ArgumentCheck = (
  workspaceId: string,
  parameters: Parameters | null,
  args: Record<string, unknown>,
) => string | null;

export function createArgumentCheck(nowMs = monotonicMs, usedMs = cpuMs): ArgumentCheck {
  const compiled = createCache<string, Check>({
    maxEntries: MAX_COMPILED,
    maxSize: MAX_COMPILED_CHARACTERS,
    sizeOf: ({ characters }) => characters,
  });
  const budget = createTimeBudget({ ...BUDGET, nowMs });

  return (workspaceId, parameters, args) => {
    if (!parameters || Object.keys(parameters).length === 0) return null;
    if (!budget.hasTime(workspaceId)) return TOO_SLOW;
    const startedMs = usedMs();
    const text = JSON.stringify(parameters);
    const check = compiled.getOrSet(text, () => ({ run: compile(parameters), characters: text.length }));
    const wrong = check.run(args);
    budget.spend(workspaceId, usedMs() - startedMs);
    return wrong;
  };
}

function compile(parameters: Parameters): Check['run'] {
  try {
    // One Ajv per schema, because an instance never frees what it compiled.
    const ajv = new Ajv(OPTIONS);
    const validate = bounded(COMPILE_TIMEOUT_MS, () =>
      ajv.compile({ type: 'object', ...enforcedSchema(parameters) }),
    );
    return (args) => errorOf(ajv, validate, args);
  } catch (err) {
    return () => (isOverdue(err) ? TOO_SLOW : NOT_CHECKED);
  }
}

function errorOf(ajv: Ajv, validate: ValidateFunction, args: Record<string, unknown>): string | null {
  try {
    const result: unknown = bounded(CHECK_TIMEOUT_MS, () => validate(args));
    if (result === true) return null;
    // An asynchronous validator returns a promise: not a verdict, and its rejection must be handled.
    if (typeof result !== 'boolean') Promise.resolve(result).catch(() => {});
    return argumentError(ajv, validate.errors);
  } catch (err) {
    // A keyword of an older schema that the validator cannot apply: nothing is known about the arguments.
    return isOverdue(err) ? TOO_SLOW : NOT_CHECKED;
  }
}

function argumentError(ajv: Ajv, errors: ErrorObject[] | null | undefined): string {
  const text = ajv.errorsText(errors, { dataVar: 'arguments' }).slice(0, MAX_ERROR_CHARACTERS);
  return `The arguments do not fit the tool: ${text}`;
}
