import type { AnyEndpoint } from '@parley/contracts';

/**
 * What the owner is asked for. A request line may carry a scheme and a host as well (RFC 9112, 3.2.2), and any at that: the owner
 * gets the path as it was understood, and the query as it was sent.
 */
export function targetOf(endpoint: AnyEndpoint, segments: readonly string[], url: string): string {
  if (url.startsWith('/')) return url;
  let at = 0;
  const path = endpoint.path.replace(/:[^/]+/g, () => segments[at++] ?? '');
  return path + (/\?[^#]*/.exec(url)?.[0] ?? '');
}
