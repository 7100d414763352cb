import { monotonicMs } from '@parley/kit/time';
import { LRUCache } from 'lru-cache';
import { type Allowance, createAllowance } from '../signalling/allowance.ts';

/** After so many refusals in a minute a source gets no response until the minute is over. */
const REFUSALS = 10;
const REFUSALS_MS = 60_000;
/** Requests of unknown sources: of each, and of all together. */
const MAX_SOURCES = 10_000;
const OF_EACH = { perSecond: 5, burst: 20 };
const OF_ALL = { perSecond: 100, burst: 200 };

/** Which sources are trunks, and how many requests of others are looked at. What is too much is dropped without a response. */
export type UnknownSources = {
  /** A call of this source has proven to be of a trunk. */
  trust(source: string): void;
  isTrusted(source: string): boolean;
  /** Whether one more request of an unknown source is looked at. */
  allows(source: string): boolean;
  /** One had answered a challenge, so that its sender has the address, and was wrong. */
  refused(source: string): void;
  /** Whether so many were refused that further ones get no response. */
  isSilenced(source: string): boolean;
};

export function createUnknownSources(nowMs: () => number = monotonicMs): UnknownSources {
  const trusted = new LRUCache<string, true>({ max: MAX_SOURCES });
  const allowances = new LRUCache<string, Allowance>({ max: MAX_SOURCES });
  const refusals = new LRUCache<string, { count: number; sinceMs: number }>({ max: MAX_SOURCES });
  const refusalsOf = (source: string) => {
    const found = refusals.get(source);
    return found && nowMs() - found.sinceMs < REFUSALS_MS ? found : { count: 0, sinceMs: nowMs() };
  };
  const ofAll = createAllowance(OF_ALL, nowMs);
  return {
    trust: (source) => void trusted.set(source, true),
    isTrusted: (source) => trusted.has(source),
    allows(source) {
      const allowance = allowances.get(source) ?? createAllowance(OF_EACH, nowMs);
      allowances.set(source, allowance);
      return allowance.take() && ofAll.take();
    },
    refused(source) {
      const { count, sinceMs } = refusalsOf(source);
      refusals.set(source, { count: count + 1, sinceMs });
    },
    isSilenced: (source) => refusalsOf(source).count >= REFUSALS,
  };
}
