import { CONNECTION_HEADERS, INTERNAL_HEADER_PREFIX } from '@parley/contracts';
import type { OutboundRequest } from './request.ts';

const NEVER_SENT = new Set<string>(CONNECTION_HEADERS);
const isNeverSent = (name: string): boolean =>
  NEVER_SENT.has(name) || name.startsWith(INTERNAL_HEADER_PREFIX);

/** Credentials are for the original origin only. */
const ORIGIN_ONLY = new Set(['authorization', 'cookie']);

const entries = (headers: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);

/**
 * The headers of one hop. On a redirect to another origin only our own headers are sent, such as the signature, which stays valid; a tool's
 * headers may contain credentials [trust.11].
 */
export function headersForHop(
  { headers, originHeaders = {} }: Pick<OutboundRequest, 'headers' | 'originHeaders'>,
  { isSameOrigin, userAgent }: { isSameOrigin: boolean; userAgent: string },
): Record<string, string> {
  const own = isSameOrigin ? entries(originHeaders) : [];
  const forwarded = entries(headers).filter(([name]) => isSameOrigin || !ORIGIN_ONLY.has(name));
  const sent = [...own, ...forwarded].filter(([name]) => !isNeverSent(name));
  // Without compression the limit of the body is the limit of what is read.
  return { 'user-agent': userAgent, ...Object.fromEntries(sent), 'accept-encoding': 'identity' };
}
