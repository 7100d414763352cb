import { AppError } from '@parley/kit/errors';

const RETRY_AFTER_SECONDS = 1;

export type Shares = {
  /** Takes a place until what it gives back is called. Throws `429 RATE_LIMITED` where `who` holds a whole share. */
  take(who: string): () => void;
};

/** What each may hold of something that all want, in this process: at most `most` places at a time. */
export function createShares(most: number): Shares {
  const held = new Map<string, number>();
  return {
    take: (who) => {
      const before = held.get(who) ?? 0;
      if (before >= most) {
        throw new AppError(
          'RATE_LIMITED',
          'Too many slow requests at once; wait as long as Retry-After says',
          {
            retryAfterSeconds: RETRY_AFTER_SECONDS,
          },
        );
      }
      held.set(who, before + 1);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        const left = (held.get(who) ?? 1) - 1;
        if (left > 0) held.set(who, left);
        else held.delete(who);
      };
    },
  };
}
