import { relative } from 'node:path';
import { z } from 'zod';
import { formatMs } from '../terminal/format-ms.ts';

/** What is read of jest's JSON. */
export const jestResults = z.object({
  success: z.boolean(),
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
  numRuntimeErrorTestSuites: z.number(),
  /** A file each; instants in milliseconds. */
  testResults: z.array(z.object({ name: z.string(), startTime: z.number(), endTime: z.number() })),
});

export type JestResults = z.output<typeof jestResults>;

/** The closing line. A file that could not be run counts as one failure. */
export function summaryLine(results: JestResults): string {
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
  const skipped = results.numPendingTests + results.numTodoTests;
  return `${results.numPassedTests} passed, ${failed} failed, ${skipped} skipped`;
}

/** The slowest files, one line each, slowest first. */
export function slowestFiles({ testResults }: JestResults, root: string, count: number): string[] {
  return testResults
    .map(({ name, startTime, endTime }) => ({ file: relative(root, name), ms: endTime - startTime }))
    .sort((a, b) => b.ms - a.ms)
    .slice(0, count)
    .map(({ file, ms }) => `${formatMs(ms).padStart(12)}  ${file}`);
}
