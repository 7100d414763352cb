import type { Call } from '../sessions/call.ts';
import type { Change } from '../sessions/ports.ts';

/*
 * The circuit of a number.
 *
 *   closed    campaigns dial. Too many consecutive failures of the carrier open it
 *   open      attempts of campaigns wait and none is used up. After a pause one attempt is dialed, the probe. If it fails, the
 *             pause grows; if anyone is reached, the circuit closes
 *
 * Single calls are dialed in both states: their callers expect an outcome now, and the outcome counts like a probe's.
 */

export type Circuit = {
  /** Consecutive. */
  failures: number;
  lastFailedAt: Date | null;
  /** Null: closed. */
  openedAt: Date | null;
  /** Consecutive pauses. */
  openings: number;
  /** When the probe is dialed; set exactly while it is open. */
  probeAt: Date | null;
  /** The probe. */
  probeCallId: string | null;
};

export const CLOSED: Circuit = {
  failures: 0,
  lastFailedAt: null,
  openedAt: null,
  openings: 0,
  probeAt: null,
  probeCallId: null,
};

/** Stack time. */
export type CircuitRules = { failures: number; firstPauseMs: number; longestPauseMs: number };

/** What a dial says about the carrier: it works, it fails, or neither. */
export type DialVerdict = 'reached' | 'failed' | 'neither';

/** Without an outcome after this time another probe is dialed: longer than any dial takes (stack ms). */
export const PROBE_TIMEOUT_MS = 180_000;

/** Failures of the carrier itself, as opposed to a callee who is busy, away or permanently refused. */
const FAILURES: ReadonlySet<string | null> = new Set([
  'transient',
  'no_carrier',
  'no_route',
  'lost',
  'unsettled',
]);
const ANSWERS: ReadonlySet<string | null> = new Set(['busy', 'no_answer', 'remote']);

/** The verdict of a change of a call; undefined before the outcome of its dial is known, and without a dial. */
export function judgeDial(
  { callType, state: before }: Pick<Call, 'callType' | 'state'>,
  { state, timeline }: Pick<Change, 'state' | 'timeline'>,
): DialVerdict | undefined {
  if (callType !== 'outbound') return undefined;
  if (!before.answeredAt && state.answeredAt) return 'reached';
  const end = timeline.find((it) => it.type === 'ended');
  if (end?.type !== 'ended' || state.answeredAt) return undefined;
  const { cause } = end.detail;
  if (FAILURES.has(cause)) return 'failed';
  // A phone that rang was reached, even if we hung up.
  return before.phase === 'ringing' || ANSWERS.has(cause) ? 'reached' : 'neither';
}

/** The circuit after a verdict. */
export function applyVerdict(
  circuit: Circuit,
  { callId, verdict, at }: { callId: string; verdict: DialVerdict; at: Date },
  rules: CircuitRules,
): Circuit {
  const isProbe = circuit.probeCallId === callId;
  if (verdict === 'reached') return CLOSED;
  // It never reached the carrier: another one is dialed at once.
  if (verdict === 'neither') return isProbe ? { ...circuit, probeCallId: null, probeAt: at } : circuit;
  const failed = { ...circuit, failures: circuit.failures + 1, lastFailedAt: at };
  const mayOpen = circuit.openedAt ? isProbe : failed.failures >= rules.failures;
  if (!mayOpen) return failed;
  const openings = circuit.openings + 1;
  const pauseMs = Math.min(rules.firstPauseMs * 2 ** Math.min(openings - 1, 30), rules.longestPauseMs);
  return {
    ...failed,
    openedAt: circuit.openedAt ?? at,
    openings,
    probeAt: new Date(at.getTime() + pauseMs),
    probeCallId: null,
  };
}
