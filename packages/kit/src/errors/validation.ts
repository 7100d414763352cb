import type { ErrorDetail } from '@parley/contracts';
import type { ZodType, z } from 'zod';
import { type AppError, validationFailed } from './app-error.ts';
import { detailsOf } from './zod-details.ts';

/** Bounds the response to a hostile body. */
const MAX_DETAILS = 100;

function validationFromZod(error: z.core.$ZodError, at: string): AppError {
  return validationFailed(zodDetails(error, at).slice(0, MAX_DETAILS), error);
}

/** The details of a zod error [general.7]. `at` is prepended to every path (`config`). */
export function zodDetails(error: z.core.$ZodError, at = ''): ErrorDetail[] {
  return error.issues.flatMap((issue) => detailsOf(issue, at === '' ? [] : [at]));
}

/** The parsed value; throws `422 VALIDATION_FAILED` with details [general.7]. `at` is prepended to every path. */
export function parseInput<S extends ZodType>(schema: S, input: unknown, at = ''): z.output<S> {
  // Issues include the input, which distinguishes a missing value from a wrong one; it is neither sent nor logged.
  const result = schema.safeParse(input, { reportInput: true });
  if (!result.success) throw validationFromZod(result.error, at);
  return result.data;
}
