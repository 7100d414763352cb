import type { IncomingMessage } from 'node:http';
import type { AnyEndpoint } from '@parley/contracts';
import { type Auth, bodyLimitOf, payloadTooLarge } from '@parley/kit/http';

/** What visitors of a page send is much smaller [trust.7]. */
const VISITOR_LIMIT_BYTES = 64 * 1024;

/** Whether any visitor of a page can send such requests: without a key, or with a public one. */
export function isOfVisitor(auth: Auth | null): boolean {
  return !auth || auth.actor.kind === 'public_key';
}

/** The limit of a body in bytes [general.22] [general.23]. */
export function limitOf(endpoint: AnyEndpoint, auth: Auth | null): number {
  const limit = bodyLimitOf(endpoint);
  return isOfVisitor(auth) ? Math.min(limit, VISITOR_LIMIT_BYTES) : limit;
}

/** `413 PAYLOAD_TOO_LARGE` for a Content-Length above the limit; the service counts the bytes that actually arrive. */
export function rejectTooLarge(limit: number, req: IncomingMessage): void {
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
