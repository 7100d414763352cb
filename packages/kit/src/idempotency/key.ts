import { validationFailed } from '../errors/index.ts';

export const IDEMPOTENCY_HEADER = 'idempotency-key';

const KEY = /^[A-Za-z0-9_:.-]{1,255}$/;

/** The key of a request, or undefined; throws 422 for a malformed one [general.20]. */
export function parseIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && KEY.test(header)) return header;
  const message = 'Idempotency-Key must be 1-255 characters of A-Z, a-z, 0-9, "_", ":", "." and "-"';
  throw validationFailed([{ path: 'Idempotency-Key', code: 'invalid_format', message }]);
}
