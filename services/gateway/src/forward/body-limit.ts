import type { IncomingMessage } from 'node:http';
import type { AnyEndpoint } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';

/** D1.8. The owner counts what really arrives; a length that is announced too large needs no way there. */
const JSON_LIMIT_BYTES = 1024 ** 2;
const STREAM_LIMIT_BYTES = 1024 ** 3;

/** `413 PAYLOAD_TOO_LARGE` for a body that says itself that it is over the limit. */
export function refuseAnnouncedExcess({ body }: AnyEndpoint, req: IncomingMessage): void {
  const limit = body === 'stream' ? STREAM_LIMIT_BYTES : JSON_LIMIT_BYTES;
  if (Number(req.headers['content-length'] ?? 0) <= limit) return;
  throw new AppError('PAYLOAD_TOO_LARGE', `The body must not exceed ${limit / 1024 ** 2} MiB`);
}
