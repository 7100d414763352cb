import { type Latencies, summarise } from '@parley/testkit/load';
import type { Samples } from './bystanders.ts';

/** The memory limit of a service's container. */
const MEMORY_MIB = 512;
const MAX_FACTOR = 3;

export type Observed = {
  quiet: { calls: Samples; deliveries: Samples };
  hostile: { calls: Samples; deliveries: Samples };
  undelivered: readonly string[];
  ended: readonly string[];
  peakMib: Readonly<Record<string, number>>;
};

export type Line = { what: string; measured: string; bar: string; ok: boolean };

/** Compares the measurements with the bars. */
export function judge({ quiet, hostile, undelivered, ended, peakMib }: Observed): Line[] {
  const of = ({ latencies }: Samples): Latencies => summarise(0, latencies);
  const slower = (what: string, before: Samples, after: Samples): Line => {
    const [reference, measured] = [of(before).p99, of(after).p99];
    const barMs = reference * MAX_FACTOR;
    return {
      what: `${what}: p99 (${of(after).count})`,
      measured: `${measured.toFixed(0)} ms, quiet ${reference.toFixed(0)} ms`,
      bar: `≤ ${barMs.toFixed(0)} ms`,
      ok: measured <= barMs,
    };
  };
  const none = (what: string, found: readonly string[]): Line => ({
    what,
    measured: found.length === 0 ? 'none' : `${found.length}, first: ${found[0]}`,
    bar: 'none',
    ok: found.length === 0,
  });
  return [
    none('processes that ended', ended),
    none('calls of the fourth workspace that failed', hostile.calls.failures),
    none('failures of the fifth workspace', hostile.deliveries.failures),
    slower('calls of the fourth workspace', quiet.calls, hostile.calls),
    slower('deliveries to the fifth workspace', quiet.deliveries, hostile.deliveries),
    none('events that were not delivered', undelivered),
    ...Object.entries(peakMib).map(([name, mib]) => ({
      what: `memory of ${name}`,
      measured: `${mib.toFixed(0)} MiB`,
      bar: `≤ ${MEMORY_MIB} MiB`,
      ok: mib > 0 && mib <= MEMORY_MIB,
    })),
  ];
}
