import { setTimeout as sleep } from 'node:timers/promises';
import type { Sipp } from '@parley/testkit/sip';

/** What became of calls whose process was killed. */
export type KillFindings = {
  kills: number;
  /** Calls that the killed process carried. */
  moving: number;
  /** Of those: how long after the kill each was carried again. */
  continuedMs: number[];
  /** Of those: ended with a reason before anything of the test ended them. */
  endedInstead: number;
  /** Of those: neither. */
  stuck: number;
  /** Calls by how they ended. */
  ends: Map<string, number>;
  withoutReason: number;
  /** Legs that were left at sipp. */
  orphans: number;
  /** Rounds that could not be finished, and why. */
  faults: string[];
  /** Undefined: the call did not end. */
  ended(reason: string | undefined): void;
};

const ORPHANED_AFTER_MS = 30_000;
/** After this many the rest would say no more. */
const MAX_FAULTS = 5;
const MIN_CONTINUED = 0.9;

export function createFindings(): KillFindings {
  const ends = new Map<string, number>();
  const findings: KillFindings = {
    kills: 0,
    moving: 0,
    continuedMs: [],
    endedInstead: 0,
    stuck: 0,
    ends,
    withoutReason: 0,
    orphans: 0,
    faults: [],
    ended(reason) {
      if (reason === undefined) findings.withoutReason += 1;
      else ends.set(reason, (ends.get(reason) ?? 0) + 1);
    },
  };
  return findings;
}

/** Kills again and again. What has been counted outlasts a round that fails. */
export async function killRepeatedly(
  findings: KillFindings,
  { runs, isTimeOver }: { runs: number; isTimeOver: () => boolean },
  killOne: () => Promise<void>,
): Promise<void> {
  while (findings.kills < runs && !isTimeOver() && findings.faults.length < MAX_FAULTS)
    try {
      await killOne();
      findings.kills += 1;
    } catch (err) {
      findings.faults.push(err instanceof Error ? (err.stack ?? err.message) : String(err));
    }
}

/** Whether every call went on or ended with a reason, most went on, and the slowest did so in time. */
export function isPassed(findings: KillFindings, takeoverMs: number): boolean {
  const { moving, continuedMs, stuck, withoutReason, orphans, faults } = findings;
  return (
    stuck + withoutReason + orphans + faults.length === 0 &&
    continuedMs.length >= moving * MIN_CONTINUED &&
    continuedMs.length > 0 &&
    Math.max(...continuedMs) <= takeoverMs
  );
}

/** How the call ended at sipp: by its scenario, otherwise, or not within half a minute. */
export async function endAt(peer: Sipp): Promise<'as it should' | 'otherwise' | 'left'> {
  const over = await Promise.race([peer.exited, sleep(ORPHANED_AFTER_MS, undefined, { ref: false })]);
  if (over === undefined) await peer.stop();
  if (over === undefined) return 'left';
  return over.code === 0 ? 'as it should' : 'otherwise';
}
