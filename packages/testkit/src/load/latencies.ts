export type Latencies = { ratePerSecond: number; count: number; p50: number; p99: number; max: number };

/** Percentiles of durations in milliseconds, measured at a rate per second. */
export function summarize(ratePerSecond: number, latencies: number[]): Latencies {
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
  return { ratePerSecond, count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** One line of text; `noun` names the counted items. */
export function toLine(
  what: string,
  { ratePerSecond, count, p50, p99, max }: Latencies,
  noun: string,
): string {
  const ms = (value: number): string => `${value.toFixed(1)} ms`;
  return `${what.padEnd(28)} ${count} ${noun}, ${ratePerSecond.toFixed(1)}/s  p50 ${ms(p50)}  p99 ${ms(p99)}  max ${ms(max)}`;
}
