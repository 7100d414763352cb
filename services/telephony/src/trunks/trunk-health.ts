/*
 * The health of a termination, by OPTIONS.
 *
 *   unknown   not checked yet, or no process speaks SIP
 *   up        it responds with any status: even a trunk that refuses OPTIONS is reachable
 *   down      it does not respond, or says that it is out of service (503). One that was up may miss one check
 */

export type Health = 'unknown' | 'up' | 'down';

export type TrunkState = {
  health: Health;
  /** Consecutive checks without a good response. */
  failures: number;
  /** Reason of the last check's result, if there is one to show. */
  reason: string | null;
  /** When the health changed last. */
  since: Date | null;
};

/** The result of a check. */
export type Check = { isReachable: boolean; status: number | null; text: string };

const OUT_OF_SERVICE = 503;
const MISSES = 2;
const UP_EVERY_MS = 60_000;
const FIRST_RETRY_MS = 15_000;
const MAX_RETRY_MS = 300_000;
const MAX_REASON = 200;

export function afterCheck(before: TrunkState, { isReachable, status, text }: Check, at: Date): TrunkState {
  const isGood = isReachable && status !== OUT_OF_SERVICE;
  const failures = isGood ? 0 : before.failures + 1;
  const isMissed = before.health === 'up' && failures < MISSES;
  const health = isGood || isMissed ? 'up' : 'down';
  const words = status === null ? text : `${status} ${text}`.trim();
  const isPlain = status !== null && status < 300;
  return {
    health,
    failures,
    reason: isPlain ? null : words.slice(0, MAX_REASON),
    since: health === before.health ? before.since : at,
  };
}

/** Real time until the next check: shorter at first while checks fail, then longer, since each occupies a worker for seconds. */
export const checkAgainMs = ({ failures }: Pick<TrunkState, 'failures'>): number =>
  failures === 0 ? UP_EVERY_MS : Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1));
