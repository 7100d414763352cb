import { type Latencies, summarize } from '@parley/testkit/load';
import type { Samples } from './bystanders.ts';

/** The memory limit of a service's container. */
const MEMORY_MIB = 512;
const MAX_FACTOR = 3;
/**
 * The requests of each kind of attack that must have been accepted per minute: attackers whose assistant, number or session is gone
 * attack nothing. Most requests exceed the limits of their workspaces.
 */
const MIN_ACCEPTED = {
  route: 10,
  session: 2,
  tool: 2,
  call: 5,
  widget: 2,
  waits: 1,
  texts: 5,
  stream: 1,
  renewed: 1,
};

export type Observed = {
  quiet: { calls: Samples; deliveries: Samples };
  hostile: { calls: Samples; deliveries: Samples };
  undelivered: readonly string[];
  ended: readonly string[];
  peakMib: Readonly<Record<string, number>>;
  /** Counts of the results of attacks in the last `minutes`. */
  late: Readonly<Record<string, number>>;
  minutes: number;
};

export type Line = { what: string; measured: string; bar: string; ok: boolean };

/** Compares the measurements with the bars. */
export function judge({ quiet, hostile, undelivered, ended, peakMib, late, minutes }: Observed): Line[] {
  const of = ({ latencies }: Samples): Latencies => summarize(0, latencies);
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
    none('calls of the caller that failed', hostile.calls.failures),
    none('failures of the listener', hostile.deliveries.failures),
    slower('calls of the caller', quiet.calls, hostile.calls),
    slower('deliveries to the listener', quiet.deliveries, hostile.deliveries),
    none('events that were not delivered', undelivered),
    ...Object.entries(peakMib).map(([name, mib]) => ({
      what: `memory of ${name}`,
      measured: `${mib.toFixed(0)} MiB`,
      bar: `≤ ${MEMORY_MIB} MiB`,
      ok: mib > 0 && mib <= MEMORY_MIB,
    })),
    ...Object.entries(MIN_ACCEPTED).map(([kind, perMinute]) => {
      const accepted = Object.entries(late)
        .filter(([what]) => what.startsWith(`${kind} `) && / 2\d\d( to \d+)?$/.test(what))
        .reduce((sum, [, count]) => sum + count, 0);
      const bar = Math.max(1, Math.floor(perMinute * minutes));
      return {
        what: `accepted at the end: ${kind}`,
        measured: `${accepted}`,
        bar: `≥ ${bar}`,
        ok: accepted >= bar,
      };
    }),
  ];
}
