import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import { formatMs } from '../terminal/format-ms.ts';

/** The part of jest's JSON that is used. */
export const jestResults = z.object({
  success: z.boolean(),
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
  numRuntimeErrorTestSuites: z.number(),
  /** One per file, with times in milliseconds. A file that could not be run has no `assertionResults`. */
  testResults: z.array(
    z.object({
      name: z.string(),
      startTime: z.number(),
      endTime: z.number(),
      status: z.enum(['passed', 'failed', 'skipped', 'pending', 'focused']),
      assertionResults: z.array(
        z.object({ status: z.string(), fullName: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
});

export type JestResults = z.output<typeof jestResults>;

/** The closing line. A file that could not be run counts as one failure. */
export function summaryLine(results: JestResults): string {
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
  const skipped = results.numPendingTests + results.numTodoTests;
  return `${results.numPassedTests} passed, ${failed} failed, ${skipped} skipped`;
}

/** The files with a failed test, and those that could not be run. */
export function failedFiles({ testResults }: JestResults): string[] {
  return testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
}

/** Each failed test with the first line of its message: the messages themselves are far above the end of a long output. */
export function failedTests({ testResults }: JestResults, root: string): string[] {
  return testResults.flatMap(({ name, status, assertionResults }) => {
    if (status !== 'failed') return [];
    const failed = assertionResults.filter((test) => test.status === 'failed');
    const lines = failed.map(({ fullName, failureMessages }) => {
      const [reason = ''] = stripVTControlCharacters(failureMessages[0] ?? '').split('\n');
      return `    ${fullName}: ${reason}`;
    });
    return [`  ${relative(root, name)}`, ...(lines.length > 0 ? lines : ['    could not be run'])];
  });
}

/** The results of a run whose failed files were run again: the second result of a file counts. */
export function replaceResults(first: JestResults, second: JestResults): JestResults {
  const again = new Set(second.testResults.map(({ name }) => name));
  const replaced = first.testResults.filter(({ name }) => again.has(name));
  const tests = replaced.flatMap(({ assertionResults }) => assertionResults);
  const count = (status: string) => tests.filter((test) => test.status === status).length;
  return {
    success: second.success,
    numPassedTests: first.numPassedTests - count('passed') + second.numPassedTests,
    numFailedTests: first.numFailedTests - count('failed') + second.numFailedTests,
    numPendingTests: first.numPendingTests - count('pending') + second.numPendingTests,
    numTodoTests: first.numTodoTests - count('todo') + second.numTodoTests,
    numRuntimeErrorTestSuites: second.numRuntimeErrorTestSuites,
    testResults: first.testResults,
  };
}

/** The slowest files, one line each, slowest first. */
export function slowestFiles({ testResults }: JestResults, root: string, count: number): string[] {
  return testResults
    .map(({ name, startTime, endTime }) => ({ file: relative(root, name), ms: endTime - startTime }))
    .sort((a, b) => b.ms - a.ms)
    .slice(0, count)
    .map(({ file, ms }) => `${formatMs(ms).padStart(12)}  ${file}`);
}
