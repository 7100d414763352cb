import { validationFailed } from '../errors/index.ts';

/** The client's name for its attempt to create something (D1.7). */
export const IDEMPOTENCY_HEADER = 'idempotency-key';

const KEY = /^[A-Za-z0-9_:.-]{1,255}$/;

/** The key that a request carries, undefined without one; 422 for what can't be a key (D1.7). */
export function parseIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && KEY.test(header)) return header;
  const message = 'Idempotency-Key must be 1-255 characters of A-Z, a-z, 0-9, "_", ":", "." and "-"';
  throw validationFailed([{ path: 'Idempotency-Key', code: 'invalid_format', message }]);
}
