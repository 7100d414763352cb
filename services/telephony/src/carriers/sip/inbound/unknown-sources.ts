import { networkOf } from '@parley/kit/outbound';
import { monotonicMs } from '@parley/kit/time';
import { LRUCache } from 'lru-cache';
import { createTokenBucket, createTokenBuckets } from '../signalling/token-bucket.ts';

/** After this many refusals in a minute a source gets no response until the minute is over. */
const MAX_REFUSALS = 10;
const REFUSALS_MS = 60_000;
const MAX_SOURCES = 10_000;
/** Requests that are handled; others are dropped without a response. */
const OF_EACH_SOURCE = { perSecond: 5, burst: 20, maxKeys: MAX_SOURCES };
const OF_ALL_SOURCES = { perSecond: 100, burst: 200 };

/** Which sources are trunks, and limits for the requests of the others. An IPv6 source is limited by its /64, which one host has as a whole. */
export type UnknownSources = {
  /** A call has proven that this source is a trunk. */
  trust(source: string): void;
  isTrusted(source: string): boolean;
  /** Whether one more request of an unknown source is handled. */
  allows(source: string): boolean;
  /** Its response to a challenge was wrong. The challenge reached it, so its address is not forged. */
  refused(source: string): void;
  /** Whether it was refused so often that it gets no further response. */
  isSilenced(source: string): boolean;
};

export function createUnknownSources(nowMs: () => number = monotonicMs): UnknownSources {
  const trusted = new LRUCache<string, true>({ max: MAX_SOURCES });
  const refusals = new LRUCache<string, { count: number; sinceMs: number }>({ max: MAX_SOURCES });
  const refusalsOf = (source: string) => {
    const found = refusals.get(networkOf(source));
    return found && nowMs() - found.sinceMs < REFUSALS_MS ? found : { count: 0, sinceMs: nowMs() };
  };
  const ofEach = createTokenBuckets(OF_EACH_SOURCE, nowMs);
  const ofAll = createTokenBucket(OF_ALL_SOURCES, nowMs);
  return {
    trust: (source) => void trusted.set(source, true),
    isTrusted: (source) => trusted.has(source),
    allows: (source) => ofEach.take(networkOf(source)) && ofAll.take(),
    refused(source) {
      const { count, sinceMs } = refusalsOf(source);
      refusals.set(networkOf(source), { count: count + 1, sinceMs });
    },
    isSilenced: (source) => refusalsOf(source).count >= MAX_REFUSALS,
  };
}
