import type { Head } from './exchange.ts';
import { parseTarget, type Target } from './parse-target.ts';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** What follows from status and headers: a final response, a redirect to follow, or one to reject. */
export type NextHop =
  | { step: 'respond' }
  | { step: 'follow'; target: Target }
  | { step: 'reject'; error: string };

/** 307 and 308 are followed once; 300, 304, 305 and 306 are final responses [webhooks.12]. */
export function nextHop({ status, headers }: Head, from: Target, mayFollow: boolean): NextHop {
  if (!REDIRECTS.has(status)) return { step: 'respond' };
  if (status !== 307 && status !== 308)
    return { step: 'reject', error: `A ${status} redirect is not followed` };
  if (!mayFollow) return { step: 'reject', error: `This ${status} redirect is not followed` };
  const { location } = headers;
  if (!location) return { step: 'reject', error: `The ${status} redirect has no Location` };
  const target = parseTarget(location, from.url);
  if (typeof target === 'string')
    return { step: 'reject', error: `The Location of the ${status} redirect ${target}` };
  return { step: 'follow', target };
}
