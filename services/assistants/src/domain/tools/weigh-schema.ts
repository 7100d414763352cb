/**
 * How much there is to compile in a schema, in keys and items of lists at any level. Plain values of an `enum`, of which
 * there may be many, take no time.
 */
export function weighSchema(value: unknown, key?: string): number {
  if (typeof value !== 'object' || value === null) return 0;
  const weights = Object.entries(value).map(([name, held]) => {
    const isPlain = typeof held !== 'object' || held === null;
    return key === 'enum' && isPlain ? 0 : 1 + weighSchema(held, name);
  });
  return weights.reduce((sum, weight) => sum + weight, 0);
}
