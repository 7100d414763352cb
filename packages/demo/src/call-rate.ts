const WINDOW_MS = 2_000;

/** Calls per second over the last two seconds. */
export function createCallRate(): (atMs: number, calls: number) => number {
  const samples: { atMs: number; calls: number }[] = [];
  return (atMs, calls) => {
    samples.push({ atMs, calls });
    while ((samples[1]?.atMs ?? atMs) <= atMs - WINDOW_MS) samples.shift();
    const first = samples[0] ?? { atMs, calls };
    const spanMs = Math.max(atMs - first.atMs, 1_000);
    return ((calls - first.calls) / spanMs) * 1_000;
  };
}
