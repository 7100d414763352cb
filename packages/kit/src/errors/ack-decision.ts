import { z } from 'zod';
import { AppError } from './app-error.ts';
import { isConnectivityError } from './connectivity.ts';

/** `retry`: later, and it counts; `dead`: to the dead-letter queue; `hold`: wait for the dependency, it doesn't count. */
export type AckDecision = 'retry' | 'dead' | 'hold';

/**
 * What becomes of a message whose handler threw: the one policy of all consumers.
 * `tries` is the number of times that it has been handled, this one included.
 */
export function ackDecision(err: unknown, tries: number, maxTries: number): AckDecision {
  if (isConnectivityError(err)) return 'hold';
  if (!canHeal(err)) return 'dead';
  return tries >= maxTries ? 'dead' : 'retry';
}

function canHeal(err: unknown): boolean {
  if (err instanceof AppError) {
    const passing = err.status === 429 || err.code === 'IDEMPOTENCY_IN_PROGRESS';
    return passing || err.status >= 500;
  }
  return !(err instanceof z.core.$ZodError || err instanceof SyntaxError);
}
