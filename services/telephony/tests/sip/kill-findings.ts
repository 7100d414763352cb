import { setTimeout as sleep } from 'node:timers/promises';
import type { Sipp } from '@parley/testkit/sip';

/** What became of calls whose process was killed. */
export type KillFindings = {
  kills: number;
  /** Calls by how they ended. */
  ends: Map<string, number>;
  /** Calls that went on in another process, and how long after the kill. */
  continuedMs: number[];
  withoutReason: number;
  /** Legs that were left at sipp. */
  orphans: number;
  /** Undefined: the call did not end. */
  ended(reason: string | undefined): void;
};

const ORPHANED_AFTER_MS = 30_000;

export function createFindings(): KillFindings {
  const ends = new Map<string, number>();
  const findings: KillFindings = {
    kills: 0,
    ends,
    continuedMs: [],
    withoutReason: 0,
    orphans: 0,
    ended(reason) {
      if (reason === undefined) findings.withoutReason += 1;
      else ends.set(reason, (ends.get(reason) ?? 0) + 1);
    },
  };
  return findings;
}

/** Whether sipp still has the call after half a minute. */
export async function isLeft(peer: Sipp): Promise<boolean> {
  const over = await Promise.race([peer.exited, sleep(ORPHANED_AFTER_MS, undefined, { ref: false })]);
  if (over === undefined) await peer.stop();
  return over === undefined;
}
