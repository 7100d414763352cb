/** Full at first. */
export type TokenBucket = { take(tokens: number): boolean };

export function createTokenBucket(max: number, perSecond: number): TokenBucket {
  let left = max;
  let atMs = performance.now();
  return {
    take(tokens) {
      const nowMs = performance.now();
      left = Math.min(max, left + ((nowMs - atMs) * perSecond) / 1_000);
      atMs = nowMs;
      if (left < tokens) return false;
      left -= tokens;
      return true;
    },
  };
}
