import { type Latencies, summarise } from '@parley/testkit/load';
import type { Seen } from './bystanders.ts';

/** The memory limit of a service's container. */
const MEMORY_MIB = 512;
const MAX_FACTOR = 3;

export type Observed = {
  quiet: { calls: Seen; deliveries: Seen };
  hostile: { calls: Seen; deliveries: Seen };
  undelivered: readonly string[];
  ended: readonly string[];
  peakMib: Readonly<Record<string, number>>;
};

export type Line = { what: string; measured: string; bar: string; ok: boolean };

/** What was observed beside the bars. */
export function judge({ quiet, hostile, undelivered, ended, peakMib }: Observed): Line[] {
  const of = ({ latencies }: Seen): Latencies => summarise(0, latencies);
  const slower = (what: string, before: Seen, after: Seen): Line => {
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
    none('calls whose last event was not delivered', undelivered),
    ...Object.entries(peakMib).map(([name, mib]) => ({
      what: `memory of ${name}`,
      measured: `${mib.toFixed(0)} MiB`,
      bar: `≤ ${MEMORY_MIB} MiB`,
      ok: mib > 0 && mib <= MEMORY_MIB,
    })),
  ];
}
