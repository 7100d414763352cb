import type { ErrorDetail } from '@parley/contracts';
import type { ZodType, z } from 'zod';
import { type AppError, validationFailed } from './app-error.ts';
import { detailsOf } from './zod-details.ts';

/** More findings than this help nobody, and a hostile body could make an answer of many megabytes. */
const MOST_DETAILS = 100;

/**
 * A zod error as `422 VALIDATION_FAILED` with the details of D1.1. `at` is put before every path (`config`).
 * Prefer `parseInput`, which also knows which values were left out altogether.
 */
export function validationFromZod(error: z.core.$ZodError, at = ''): AppError {
  return validationFailed(zodDetails(error, at).slice(0, MOST_DETAILS), error);
}

/** The findings of a zod error (D1.1). `at` is put before every path. */
export function zodDetails(error: z.core.$ZodError, at = ''): ErrorDetail[] {
  return error.issues.flatMap((issue) => detailsOf(issue, at === '' ? [] : [at]));
}

/** The parsed value, or `VALIDATION_FAILED` (D1.1). `at` is put before every path. */
export function parseInput<S extends ZodType>(schema: S, input: unknown, at = ''): z.output<S> {
  // The inputs stay in the issues so that a missing value is told from a wrong one; none of them is sent or logged.
  const result = schema.safeParse(input, { reportInput: true });
  if (!result.success) throw validationFromZod(result.error, at);
  return result.data;
}
