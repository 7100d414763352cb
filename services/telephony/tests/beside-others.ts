import { it } from '@jest/globals';
import { type Harness, startHarness } from './harness.ts';

/** Each harness has three processes with connections: more at a time would exceed a small server. */
const AT_ONCE = 2;
const waiting: (() => void)[] = [];
let running = 0;

/**
 * `it` for tests in which workers come and go: each has a harness of its own, so that no worker takes another test's
 * calls, and they wait for their clocks side by side.
 */
export function besideOthers(env: Record<string, string>) {
  return (name: string, test: (harness: Harness) => Promise<void>): void =>
    it.concurrent(name, () => inTurn(() => withHarness(env, test)));
}

async function withHarness(
  env: Record<string, string>,
  test: (harness: Harness) => Promise<void>,
): Promise<void> {
  const harness = await startHarness({ ...env, DATABASE_POOL: '3' });
  try {
    await test(harness);
  } finally {
    await harness.close();
  }
}

async function inTurn(work: () => Promise<void>): Promise<void> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}
