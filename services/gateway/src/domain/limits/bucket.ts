/** A bucket of tokens: `burst` at most, one more every `intervalMs`. */
export type Bucket = { key: string; intervalMs: number; burst: number };

/** What is left of the tightest bucket (which holds `limit` and gets one back every `intervalMs`) after a request, or why it was refused. */
export type Verdict = {
  allowed: boolean;
  limit: number;
  intervalMs: number;
  remaining: number;
  resetMs: number;
  retryAfterMs: number;
};

export type Limiter = { take(buckets: readonly Bucket[]): Promise<Verdict> };

/**
 * GCRA: a bucket is one instant, the time at which it would be full again (`fullAtMs`). A request moves it by one
 * interval, and is refused where that would lead further ahead than the whole bucket holds.
 */
export function takeToken(bucket: Bucket, fullAtMs: number, nowMs: number): Verdict & { fullAtMs: number } {
  const capacityMs = bucket.burst * bucket.intervalMs;
  const next = Math.max(fullAtMs, nowMs) + bucket.intervalMs;
  const allowed = next - nowMs <= capacityMs;
  const after = allowed ? next : Math.max(fullAtMs, nowMs);
  return {
    allowed,
    limit: bucket.burst,
    intervalMs: bucket.intervalMs,
    fullAtMs: after,
    remaining: Math.max(0, Math.floor((capacityMs - (after - nowMs)) / bucket.intervalMs)),
    resetMs: after - nowMs,
    retryAfterMs: allowed ? 0 : next - nowMs - capacityMs,
  };
}

/** Of several buckets the one that a client should know about: a refusal first, then the one with the least left. */
export function tightest(verdicts: readonly Verdict[]): Verdict {
  const [first, ...rest] = verdicts;
  if (!first) return { allowed: true, limit: 0, intervalMs: 1, remaining: 0, resetMs: 0, retryAfterMs: 0 };
  return rest.reduce((worst, next) => (isTighter(next, worst) ? next : worst), first);
}

function isTighter(a: Verdict, b: Verdict): boolean {
  if (a.allowed !== b.allowed) return !a.allowed;
  return a.allowed ? a.remaining < b.remaining : a.retryAfterMs > b.retryAfterMs;
}
