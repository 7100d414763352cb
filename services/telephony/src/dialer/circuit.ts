import type { Call } from '../sessions/call.ts';
import type { Change } from '../sessions/ports.ts';

/*
 * The circuit of a number. Closed: campaigns dial. The carrier failed so many dials in a row, whoever was called: it
 * opens, and attempts wait, none is used up. After a pause one is tried, the probe; while nothing is known of it no other
 * goes out. Another failure makes the pause longer, anybody reached closes the circuit. Single calls are not held: whoever
 * places one wants to know now, and it tells as much as a probe does.
 */

export type Circuit = {
  /** In a row. */
  failures: number;
  lastFailedAt: Date | null;
  /** Null: closed. */
  openedAt: Date | null;
  /** Pauses in a row. */
  openings: number;
  /** When the next attempt is tried; set exactly while it is open. */
  probeAt: Date | null;
  /** The attempt that is being tried. */
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

/** What a dial tells of the carrier: that it works, that it doesn't, or neither. */
export type DialVerdict = 'reached' | 'failed' | 'neither';

/** How long a probe may keep silent before another is tried: longer than any dial is unsettled (stack ms). */
export const PROBE_PATIENCE_MS = 180_000;

/** The carrier's own failures; a callee that is busy, away or refused for good is no such. */
const FAILURES: ReadonlySet<string | null> = new Set(['transient', 'lost', 'unsettled']);
const ANSWERS: ReadonlySet<string | null> = new Set(['busy', 'no_answer', 'remote']);

/** The verdict of a change of a call; undefined while there is none, or no dial. */
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
  // Whatever rang was reached, also if we hung up.
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
  // It never got to the carrier: another one is tried at once.
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
