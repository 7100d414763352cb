import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Fits, IdempotencyScope } from './store.ts';

/** What is stored of a body: enough to know it again, and nothing to guess it by. */
export type BodyMark = {
  markOf(scope: IdempotencyScope, digest: string): string;
  /** Null: the first body isn't known yet, and any fits. */
  fits(scope: IdempotencyScope, stored: string | null): Fits;
};

/** Tells marks from the plain SHA-256 that was stored before them. */
const PREFIX = 'hmac:';

/**
 * An HMAC of the body's SHA-256 and of what the key is unique within: two rows don't tell that their bodies are equal.
 * Rows of before, which live for a day at most, are still compared by their plain hash.
 */
export function createBodyMark(secret: string): BodyMark {
  const markOf: BodyMark['markOf'] = ({ workspaceId, method, path, key }, digest) => {
    const text = JSON.stringify(['idempotency body', workspaceId, method, path, key, digest]);
    return PREFIX + createHmac('sha256', secret).update(text).digest('hex');
  };
  return {
    markOf,
    fits: (scope, stored) => (digest) => {
      if (stored === null) return true;
      return isSame(stored, stored.startsWith(PREFIX) ? markOf(scope, digest) : digest);
    },
  };
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
