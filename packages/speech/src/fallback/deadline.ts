import type { MediaClock } from '@parley/media';

/** Settles like `promise`, or rejects with `onTimeout()` if it takes longer than `ms`. */
export function withDeadline<T>(
  promise: Promise<T>,
  ms: number,
  clock: MediaClock,
  onTimeout: () => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.timer(ms, () => reject(onTimeout()));
    promise.then(resolve, reject).finally(cancel);
  });
}
