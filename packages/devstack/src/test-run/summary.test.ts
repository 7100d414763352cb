import { describe, expect, it } from '@jest/globals';
import { slowestFiles, summaryLine } from './summary.ts';

const results = {
  success: true,
  numPassedTests: 12,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  numRuntimeErrorTestSuites: 0,
  testResults: [
    { name: '/parley/tests/quick.test.ts', startTime: 1_000, endTime: 1_040 },
    { name: '/parley/tests/slow.test.ts', startTime: 1_000, endTime: 66_000 },
    { name: '/parley/tests/so-so.test.ts', startTime: 1_000, endTime: 9_500 },
  ],
};

describe('summaryLine', () => {
  it('is plain', () => {
    expect(summaryLine(results)).toBe('12 passed, 0 failed, 0 skipped');
  });

  it('counts a file that could not be run as failed, and a to-do as skipped', () => {
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
  it('names as many as are asked for, the longest first', () => {
    expect(slowestFiles(results, '/parley', 2)).toEqual([
      '   1 min 5 s  tests/slow.test.ts',
      '       8.5 s  tests/so-so.test.ts',
    ]);
  });
});
