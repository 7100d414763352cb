import { describe, expect, it } from '@jest/globals';
import {
  failedFiles,
  failedTests,
  type JestResults,
  replaceResults,
  slowestFiles,
  summaryLine,
} from './summary.ts';

const results = {
  success: true,
  numPassedTests: 12,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  numRuntimeErrorTestSuites: 0,
  testResults: [
    { name: '/parley/tests/quick.test.ts', startTime: 1_000, endTime: 1_040, ...file('passed', 6, 0) },
    { name: '/parley/tests/slow.test.ts', startTime: 1_000, endTime: 66_000, ...file('passed', 4, 0) },
    { name: '/parley/tests/so-so.test.ts', startTime: 1_000, endTime: 9_500, ...file('passed', 2, 0) },
  ],
};

const [RED, RESET] = ['\u001B[31m', '\u001B[39m'];

function file(status: 'passed' | 'failed', passed: number, failed: number) {
  const tests = (count: number, as: string) =>
    Array.from({ length: count }, (_, n) => ({
      status: as,
      fullName: `a test ${n + 1}`,
      failureMessages: as === 'failed' ? [`${RED}expected 1${RESET}\nreceived 2`] : [],
    }));
  return { status, assertionResults: [...tests(passed, 'passed'), ...tests(failed, 'failed')] };
}

describe('summaryLine', () => {
  it('is plain', () => {
    expect(summaryLine(results)).toBe('12 passed, 0 failed, 0 skipped');
  });

  it('counts a file that could not run as failed, and a to-do as skipped', () => {
    const line = summaryLine({
      ...results,
      numFailedTests: 2,
      numRuntimeErrorTestSuites: 1,
      numPendingTests: 3,
      numTodoTests: 1,
    });
    expect(line).toBe('12 passed, 3 failed, 4 skipped');
  });
});

describe('slowestFiles', () => {
  it('lists the requested number, longest first', () => {
    expect(slowestFiles(results, '/parley', 2)).toEqual([
      '   1 min 5 s  tests/slow.test.ts',
      '       8.5 s  tests/so-so.test.ts',
    ]);
  });
});

describe('replaceResults', () => {
  const [quick, slow, soSo] = results.testResults;
  const first: JestResults = {
    ...results,
    success: false,
    numPassedTests: 9,
    numFailedTests: 2,
    numRuntimeErrorTestSuites: 1,
    testResults: [
      { ...quick, ...file('passed', 6, 0) },
      { ...slow, ...file('failed', 3, 2) },
      { ...soSo, ...file('failed', 0, 0) },
    ],
  } as JestResults;

  it('lists the failed files and those that could not run', () => {
    expect(failedFiles(first)).toEqual(['/parley/tests/slow.test.ts', '/parley/tests/so-so.test.ts']);
  });

  it('lists the failed tests with the first line of their messages', () => {
    expect(failedTests(first, '/parley')).toEqual([
      '  tests/slow.test.ts',
      '    a test 1: expected 1',
      '    a test 2: expected 1',
      '  tests/so-so.test.ts',
      '    could not be run',
    ]);
  });

  it('counts the tests of a file in its second run', () => {
    const second = { ...results, numPassedTests: 7, testResults: [slow, soSo] } as JestResults;
    expect(summaryLine(replaceResults(first, second))).toBe('13 passed, 0 failed, 0 skipped');
  });

  it('keeps files that fail again', () => {
    const second = {
      ...results,
      success: false,
      numPassedTests: 6,
      numFailedTests: 1,
      testResults: [slow, soSo],
    } as JestResults;
    const both = replaceResults(first, second);
    expect(summaryLine(both)).toBe('12 passed, 1 failed, 0 skipped');
    expect(both.success).toBe(false);
  });
});
