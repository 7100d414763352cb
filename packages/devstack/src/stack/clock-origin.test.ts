import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { clockOrigin } from './clock-origin.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-clock-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('clockOrigin', () => {
  it('is that of the first start with this rate, so that the clock never jumps back', () => {
    const path = join(folder, 'clock.json');
    expect(clockOrigin(path, '60', 1_000)).toBe(1_000);
    expect(clockOrigin(path, '60', 9_000)).toBe(1_000);
    expect(clockOrigin(path, '1', 10_000)).toBe(10_000);
    expect(clockOrigin(path, '60', 11_000)).toBe(1_000);
  });

  it('refuses an invalid rate', () => {
    for (const rate of ['0', '-1', 'fast']) {
      expect(() => clockOrigin(join(folder, 'clock.json'), rate, 1_000)).toThrow(/CLOCK_RATE.*above 0/);
    }
  });

  it('starts over with another rate', () => {
    const path = join(folder, 'clock.json');
    clockOrigin(path, '60', 1_000);
    expect(clockOrigin(path, '30', 2_000)).toBe(2_000);
    expect(clockOrigin(path, '30', 3_000)).toBe(2_000);
  });
});
