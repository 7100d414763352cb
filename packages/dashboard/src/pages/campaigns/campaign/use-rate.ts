import { useEffect, useState } from 'react';

type Sample = { atMs: number; count: number };

const WINDOW_MS = 15_000;
const MIN_SPAN_MS = 1_500;

/** Of something that is counted again and again: how many a second, by the platform's clock. Undefined until two samples differ in time. */
export function useRate(at: string | undefined, count: number | undefined): number | undefined {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  useEffect(() => {
    if (at === undefined || count === undefined) return;
    const sample = { atMs: Date.parse(at), count };
    setSamples((former) => addSample(former, sample));
  }, [at, count]);
  return rateOf(samples);
}

export function addSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  if (samples.at(-1)?.atMs === sample.atMs) return samples;
  const recent = [...samples, sample];
  while ((recent[1]?.atMs ?? sample.atMs) <= sample.atMs - WINDOW_MS) recent.shift();
  return recent;
}

export function rateOf(samples: readonly Sample[]): number | undefined {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || last.atMs - first.atMs < MIN_SPAN_MS) return undefined;
  return Math.max(0, ((last.count - first.count) / (last.atMs - first.atMs)) * 1_000);
}
