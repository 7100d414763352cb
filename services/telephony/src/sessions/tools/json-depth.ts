/** Deeper values can overflow the stack of JSON.stringify. */
export const MAX_DEPTH = 64;

/** Whether a JSON value has more than `levels` levels. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((item) => isDeeperThan(levels - 1, item));
}
