import type { IncomingMessage } from 'node:http';
import type { AnyEndpoint } from '@parley/contracts';
import { JSON_LIMIT_BYTES, payloadTooLarge, STREAM_LIMIT_BYTES } from '@parley/kit/http';

/**
 * `413 PAYLOAD_TOO_LARGE` for a body that says itself that it is over the limit (D1.8). The owner counts what really arrives; a
 * length that is announced too large needs no way there.
 */
export function refuseAnnouncedExcess({ body }: AnyEndpoint, req: IncomingMessage): void {
  const limit = body === 'stream' ? STREAM_LIMIT_BYTES : JSON_LIMIT_BYTES;
  if (Number(req.headers['content-length'] ?? 0) > limit) throw payloadTooLarge(limit);
}
