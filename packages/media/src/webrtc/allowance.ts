/** A bucket of tokens, full at first. */
export type Allowance = { take(tokens: number): boolean };

export function createAllowance(max: number, perSecond: number): Allowance {
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
