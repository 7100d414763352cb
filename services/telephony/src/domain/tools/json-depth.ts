/** More than anybody means; a few thousand levels overflow the stack of whoever writes them down. */
export const DEEPEST = 64;

/** Whether a JSON value has more than so many levels. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((item) => isDeeperThan(levels - 1, item));
}
