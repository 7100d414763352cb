import { z } from 'zod';
import { AppError } from './app-error.ts';
import { isConnectivityError } from './connectivity.ts';

/** `retry`: after a delay, counted; `dead`: to the dead-letter queue; `hold`: wait for a dependency, not counted. */
export type AckDecision = 'retry' | 'dead' | 'hold';

/**
 * The acknowledgement policy of all consumers for a message whose handler threw. `tries` counts the attempts, including this one.
 */
export function ackDecision(err: unknown, tries: number, maxTries: number): AckDecision {
  if (isConnectivityError(err)) return 'hold';
  if (!isTransient(err)) return 'dead';
  return tries >= maxTries ? 'dead' : 'retry';
}

function isTransient(err: unknown): boolean {
  if (err instanceof AppError) {
    const isRetryable = err.status === 429 || err.code === 'IDEMPOTENCY_IN_PROGRESS';
    return isRetryable || err.status >= 500;
  }
  return !(err instanceof z.core.$ZodError || err instanceof SyntaxError);
}
