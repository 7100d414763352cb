import { AppError } from '../errors/index.ts';

/** The largest bodies (D1.8): of JSON, and of `'stream'` endpoints. */
export const JSON_LIMIT_BYTES = 1024 ** 2;
export const STREAM_LIMIT_BYTES = 1024 ** 3;

/** `413 PAYLOAD_TOO_LARGE`, in the same words whoever finds out: the gateway by the length that is told, a service by what arrives. */
export function payloadTooLarge(limitBytes: number): AppError {
  const mebibytes = limitBytes / 1024 ** 2;
  const limit = mebibytes < 1024 ? `${mebibytes} MiB` : `${mebibytes / 1024} GiB`;
  return new AppError('PAYLOAD_TOO_LARGE', `The body must not exceed ${limit}`);
}
