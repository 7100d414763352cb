/**
 * Lower bounds of the buckets of the stored histograms, in milliseconds; faster answers are in a bucket before the first. Stored counts
 * depend on them: never change them.
 */
export const BUCKET_BOUNDS: readonly number[] = Array.from(
  { length: 26 },
  (_, i) => Math.round(100 * 1.2 ** i * 10) / 10,
);

/** Including a bucket below the first bound and one above the last. */
export const BUCKETS = BUCKET_BOUNDS.length + 1;

/** The share `p` of the values is at most this, within 10 percent; undefined without values. Beyond the bounds: the bound. */
export function percentileOf(histogram: readonly number[], p: number): number | undefined {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let left = Math.max(Math.ceil(total * p), 1);
  const at = histogram.findIndex((count) => {
    left -= count;
    return left <= 0;
  });
  const [from, to] = [BUCKET_BOUNDS[at - 1], BUCKET_BOUNDS[at]];
  if (from === undefined || to === undefined) return from ?? to;
  // The geometric mean: at most a tenth away from any value of the bucket.
  return Math.sqrt(from * to);
}
