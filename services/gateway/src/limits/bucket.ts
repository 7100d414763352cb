/** A token bucket: at most `burst` tokens, one more every `intervalMs`. */
export type Bucket = {
  key: string;
  intervalMs: number;
  burst: number;
  /** Tokens to take (1); never more than `burst`, so that a full bucket always allows a request. */
  cost?: number;
  /** Requests cost more the larger their body is. */
  byWeight?: true;
};

/** The state of the tightest bucket after a request, or why it was rejected. */
export type Verdict = {
  allowed: boolean;
  limit: number;
  intervalMs: number;
  remaining: number;
  resetMs: number;
  retryAfterMs: number;
};

export type Limiter = {
  /**
   * Takes from all buckets, or from none if one has too few tokens. With `beforeDelay` a refusal may be delayed (ADR 54), and it is called
   * before.
   */
  take(buckets: readonly Bucket[], beforeDelay?: () => void): Promise<Verdict>;
  /** Takes for completed work, even below zero: requests are rejected until the debt is paid. */
  charge(buckets: readonly Bucket[]): Promise<void>;
};

/** The largest debt, in full buckets. */
export const MAX_DEBT = 2;

/**
 * GCRA: a bucket is the instant at which it will be full again (`fullAtMs`). A request moves it by one interval per
 * token, and is rejected if that exceeds the capacity.
 */
export function takeToken(bucket: Bucket, fullAtMs: number, nowMs: number): Verdict & { fullAtMs: number } {
  const capacityMs = bucket.burst * bucket.intervalMs;
  const next = Math.max(fullAtMs, nowMs) + Math.min(bucket.cost ?? 1, bucket.burst) * bucket.intervalMs;
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

/** Like `takeToken`, but never rejects. */
export function chargeTokens(
  { cost = 1, burst, intervalMs }: Bucket,
  fullAtMs: number,
  nowMs: number,
): number {
  return Math.min(Math.max(fullAtMs, nowMs) + cost * intervalMs, nowMs + (1 + MAX_DEBT) * burst * intervalMs);
}

/** The verdict that a client should see: a rejection, or else the bucket with the least left. */
export function tightest(verdicts: readonly Verdict[]): Verdict {
  const [first, ...rest] = verdicts;
  if (!first) return { allowed: true, limit: 0, intervalMs: 1, remaining: 0, resetMs: 0, retryAfterMs: 0 };
  return rest.reduce((worst, next) => (isTighter(next, worst) ? next : worst), first);
}

function isTighter(a: Verdict, b: Verdict): boolean {
  if (a.allowed !== b.allowed) return !a.allowed;
  return a.allowed ? a.remaining < b.remaining : a.retryAfterMs > b.retryAfterMs;
}
