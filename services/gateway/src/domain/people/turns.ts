import { AppError } from '@parley/kit/errors';

/**
 * Runs at most `atOnce` of what it is given at the same time; `waiting` others wait in the order in which they came, and whoever
 * comes then is told to come again (`503` with `Retry-After`) rather than to wait for longer than anybody does.
 */
export function createTurns(limits: {
  atOnce: number;
  waiting: number;
}): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < limits.atOnce) running += 1;
    else if (waiting.length < limits.waiting) await new Promise<void>((resolve) => waiting.push(resolve));
    else throw busy();
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

function busy(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', 'Too many people are signing in; try again in a moment', {
    retryAfterSeconds: 2,
  });
}
