import { it } from '@jest/globals';
import { type Harness, startHarness } from './harness.ts';

/**
 * `it` for tests in which workers come and go: each has a harness of its own, so that no worker takes another test's
 * calls, and they wait for their clocks side by side.
 */
export function besideOthers(env: Record<string, string>) {
  return (name: string, test: (harness: Harness) => Promise<void>): void =>
    it.concurrent(name, async () => {
      const harness = await startHarness({ ...env, DATABASE_POOL: '3' });
      try {
        await test(harness);
      } finally {
        await harness.close();
      }
    });
}
