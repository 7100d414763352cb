import { monotonicMs } from '@parley/kit/time';
import { LRUCache } from 'lru-cache';

/** Requests of unknown sources: of each, and of all together. */
const MAX_SOURCES = 10_000;
const PER_SECOND = 5;
const BURST = 20;
const ALL_PER_SECOND = 100;
const ALL_BURST = 200;

type Bucket = { left: number; atMs: number };

/** Which sources are trunks, and how many requests of others are looked at. What is too much is dropped without a response. */
export type UnknownSources = {
  /** A call of this source has proven to be of a trunk. */
  trust(source: string): void;
  isTrusted(source: string): boolean;
  /** Whether one more request of an unknown source is looked at. */
  allows(source: string): boolean;
};

export function createUnknownSources(): UnknownSources {
  const trusted = new LRUCache<string, true>({ max: MAX_SOURCES });
  const buckets = new LRUCache<string, Bucket>({ max: MAX_SOURCES });
  const all: Bucket = { left: ALL_BURST, atMs: monotonicMs() };
  return {
    trust: (source) => void trusted.set(source, true),
    isTrusted: (source) => trusted.has(source),
    allows(source) {
      const bucket = buckets.get(source) ?? { left: BURST, atMs: monotonicMs() };
      buckets.set(source, bucket);
      return take(bucket, PER_SECOND, BURST) && take(all, ALL_PER_SECOND, ALL_BURST);
    },
  };
}

function take(bucket: Bucket, perSecond: number, burst: number): boolean {
  const nowMs = monotonicMs();
  bucket.left = Math.min(burst, bucket.left + ((nowMs - bucket.atMs) * perSecond) / 1_000);
  bucket.atMs = nowMs;
  if (bucket.left < 1) return false;
  bucket.left -= 1;
  return true;
}
