import type { IncomingMessage } from 'node:http';
import type { AnyEndpoint } from '@parley/contracts';
import { bodyLimitOf, payloadTooLarge } from '@parley/kit/http';

/** `413 PAYLOAD_TOO_LARGE` for a Content-Length above the limit [general.22]; the service counts the bytes that actually arrive. */
export function rejectTooLarge(endpoint: AnyEndpoint, req: IncomingMessage): void {
  const limit = bodyLimitOf(endpoint);
  if (Number(req.headers['content-length'] ?? 0) > limit) throw payloadTooLarge(limit);
}

/**
 * The request target for the service. A request line may carry any scheme and host as well (RFC 9112, 3.2.2): the service gets
 * the path as it was routed, and the query as it was sent.
 */
export function targetOf(
  endpoint: AnyEndpoint,
  segments: readonly string[],
  req: IncomingMessage & { originalUrl?: string },
): string {
  const url = req.originalUrl ?? req.url ?? '';
  if (url.startsWith('/')) return url;
  let at = 0;
  const path = endpoint.path.replace(/:[^/]+/g, () => segments[at++] ?? '');
  return path + (/\?[^#]*/.exec(url)?.[0] ?? '');
}
