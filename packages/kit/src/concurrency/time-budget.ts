import { createCache } from '../cache/index.ts';

/** Limits the CPU time that each workspace may use for one kind of work in this process. */
export type TimeBudget = {
  hasTime(workspaceId: string): boolean;
  spend(workspaceId: string, ms: number): void;
};

export type TimeBudgetRules = {
  /** The share of one core that a workspace may use in the long run, between 0 and 1. */
  share: number;
  /** CPU time that it may use at once after a pause, in milliseconds. */
  burstMs: number;
  nowMs: () => number;
};

const MAX_WORKSPACES = 10_000;

/** A token bucket of milliseconds per workspace. One use may overdraw it; then it has none left until the bucket is refilled. */
export function createTimeBudget({ share, burstMs, nowMs }: TimeBudgetRules): TimeBudget {
  const buckets = createCache<string, { leftMs: number; atMs: number }>({ maxEntries: MAX_WORKSPACES });

  const leftOf = (workspaceId: string, now: number): number => {
    const bucket = buckets.get(workspaceId);
    return bucket ? Math.min(burstMs, bucket.leftMs + (now - bucket.atMs) * share) : burstMs;
  };

  return {
    hasTime: (workspaceId) => leftOf(workspaceId, nowMs()) > 0,
    spend: (workspaceId, ms) => {
      const now = nowMs();
      buckets.set(workspaceId, { leftMs: leftOf(workspaceId, now) - ms, atMs: now });
    },
  };
}
