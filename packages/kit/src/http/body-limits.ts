import type { AnyEndpoint } from '@parley/contracts';
import { AppError } from '../errors/index.ts';

/** The limits of JSON bodies, of `'stream'` endpoints, and of endpoints without authentication [general.22]. */
const JSON_LIMIT_BYTES = 1024 ** 2;
export const STREAM_LIMIT_BYTES = 1024 ** 3;
const OPEN_LIMIT_BYTES = 16 * 1024;

/** The limit of an endpoint's body in bytes. */
export function bodyLimitOf({ access, body }: Pick<AnyEndpoint, 'access' | 'body'>): number {
  if (body === 'stream') return STREAM_LIMIT_BYTES;
  return access === 'open' ? OPEN_LIMIT_BYTES : JSON_LIMIT_BYTES;
}

/** `413 PAYLOAD_TOO_LARGE`, for the gateway, which checks `Content-Length`, and for services. */
export function payloadTooLarge(limitBytes: number): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', `The body must not exceed ${inWords(limitBytes)}`);
}

function inWords(bytes: number): string {
  const units = ['KiB', 'MiB', 'GiB'];
  const power = Math.min(units.length, Math.floor(Math.log2(bytes) / 10));
  return `${bytes / 1024 ** power} ${units[power - 1]}`;
}
