import type { Head } from './exchange.ts';
import { parseTarget, type Target } from './parse-target.ts';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** What an answer's head means: the end, one more hop, or a redirect that isn't followed. */
export type NextHop =
  | { step: 'answer' }
  | { step: 'follow'; target: Target }
  | { step: 'refuse'; error: string };

/** 307 and 308 are followed once; 300, 304, 305 and 306 are plain answers. spec: Delivery rules 5, D8.6. */
export function nextHop({ status, headers }: Head, from: Target, mayFollow: boolean): NextHop {
  if (!REDIRECTS.has(status)) return { step: 'answer' };
  if (status !== 307 && status !== 308)
    return { step: 'refuse', error: `A ${status} redirect is not followed` };
  if (!mayFollow) return { step: 'refuse', error: `This ${status} redirect is not followed` };
  const { location } = headers;
  if (!location) return { step: 'refuse', error: `The ${status} redirect has no Location` };
  const target = parseTarget(location, from.url);
  if (typeof target === 'string')
    return { step: 'refuse', error: `The Location of the ${status} redirect ${target}` };
  return { step: 'follow', target };
}
