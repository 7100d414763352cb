import { z } from 'zod';

/** What is read of jest's JSON. */
export const jestResults = z.object({
  success: z.boolean(),
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
  numRuntimeErrorTestSuites: z.number(),
});

export type JestResults = z.output<typeof jestResults>;

/** The closing line. A file that could not be run counts as one failure, since nobody knows how many it hides. */
export function summaryLine(results: JestResults): string {
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
  const skipped = results.numPendingTests + results.numTodoTests;
  return `${results.numPassedTests} passed, ${failed} failed, ${skipped} skipped`;
}
