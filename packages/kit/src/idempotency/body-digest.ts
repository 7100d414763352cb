import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IdempotencyScope, MatchesBody } from './store.ts';

/** Digests of request bodies for storage: they recognize a body without helping to guess it. */
export type BodyDigest = {
  /** `digest`: the SHA-256 of the body. */
  digestOf(scope: IdempotencyScope, digest: string): string;
  /** `stored` is null until the first body is known; until then any body matches. */
  matches(scope: IdempotencyScope, stored: string | null): MatchesBody;
};

/**
 * An HMAC over the body's SHA-256 and the scope of the key, so that rows don't reveal equal bodies. The first secret creates it and
 * all secrets verify it, so that a rotation rejects no repeated request.
 */
export function createBodyDigest(secrets: readonly (string | Buffer)[]): BodyDigest {
  const hmac = (secret: string | Buffer, scope: IdempotencyScope, digest: string): string => {
    const { workspaceId, method, path, key } = scope;
    const text = JSON.stringify(['idempotency body', workspaceId, method, path, key, digest]);
    return `hmac:${createHmac('sha256', secret).update(text).digest('hex')}`;
  };
  const [first] = secrets;
  if (!first) throw new Error('idempotency keys need a secret');
  return {
    digestOf: (scope, digest) => hmac(first, scope, digest),
    matches: (scope, stored) => (digest) =>
      stored === null || secrets.some((secret) => isEqual(stored, hmac(secret, scope, digest))),
  };
}

function isEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
