/** 0 without values, which it sorts. */
export function percentile(values: number[], share: number): number {
  values.sort((one, other) => one - other);
  return values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
}
