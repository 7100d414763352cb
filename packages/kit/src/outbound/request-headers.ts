import { CONNECTION_HEADERS } from '@parley/contracts';
import type { OutboundRequest } from './request.ts';

const NEVER_SENT = new Set<string>(CONNECTION_HEADERS);

/** What proves who asks stays with whom it was meant for, wherever the caller has put it. */
const ORIGIN_ONLY = new Set(['authorization', 'cookie']);

const entries = (headers: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);

/**
 * The headers of one hop. Across origins only ours travel on: the signature stays valid, since the same bytes go to
 * the target of a redirect (Delivery rules 5), but a tool's own headers would hand its credentials to a stranger.
 */
export function headersForHop(
  { headers, originHeaders = {} }: Pick<OutboundRequest, 'headers' | 'originHeaders'>,
  { isSameOrigin, userAgent }: { isSameOrigin: boolean; userAgent: string },
): Record<string, string> {
  const own = isSameOrigin ? entries(originHeaders) : [];
  const travelling = entries(headers).filter(([name]) => isSameOrigin || !ORIGIN_ONLY.has(name));
  const sent = [...own, ...travelling].filter(([name]) => !NEVER_SENT.has(name));
  // Nothing is decompressed: 64 KiB of an answer are 64 KiB.
  return { 'user-agent': userAgent, ...Object.fromEntries(sent), 'accept-encoding': 'identity' };
}
