import { describe, expect, it } from '@jest/globals';
import { summaryLine } from './summary.ts';

const results = {
  success: true,
  numPassedTests: 12,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  numRuntimeErrorTestSuites: 0,
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
