import { describe, expect, it } from '@jest/globals';
import { eventually } from '../src/index.ts';

describe('eventually', () => {
  it('returns the value of the first successful try', async () => {
    let tries = 0;
    const value = await eventually(() => {
      tries += 1;
      expect(tries).toBeGreaterThan(2);
      return tries;
    });
    expect(value).toBe(3);
  });

  it('fails with the last error, and not before its timeout', async () => {
    const started = performance.now();
    let tries = 0;
    const failing = eventually(
      () => {
        tries += 1;
        throw new Error(`try ${tries}`);
      },
      { timeoutMs: 200, everyMs: 20 },
    );
    const err = await failing.catch((reason: unknown) => reason);
    expect(err).toEqual(new Error(`try ${tries}`));
    expect(tries).toBeGreaterThan(2);
    expect(performance.now() - started).toBeGreaterThanOrEqual(190);
  });

  it('fails when the expectation hangs, with the error of the previous try', async () => {
    let tries = 0;
    const hanging = eventually(
      () => {
        tries += 1;
        if (tries === 1) throw new Error('the reason');
        return new Promise(() => {});
      },
      { timeoutMs: 100, everyMs: 10 },
    );
    await expect(hanging).rejects.toThrow('the reason');
  });
});
