import { draw } from './draw.ts';
import { humanLines } from './human-lines.ts';
import type { LegRecord } from './leg-record.ts';
import type { Script } from './script.ts';

/**
 * The course of a simulated leg, in platform milliseconds since it was originated [running.2]. After the answer it also depends
 * on the conversation: see `script`.
 */
export type LegPlan = {
  ringingMs: number | null;
  /** Null: never answered. */
  answeredMs: number | null;
  /** How the leg ends when it isn't answered. */
  unanswered: { cause: 'no_answer' | 'busy' | 'transient' | 'refused' | 'remote'; atMs: number };
  /** When an answering machine is detected. */
  machineMs: number | null;
  /** Hangs up this long after the answer, whatever is said. */
  hangsUpAfterMs: number | null;
  script: Script;
  /** The response to `originate` is lost. */
  losesAnswer: boolean;
  /** Every event is emitted twice and out of order. */
  repeatsEvents: boolean;
};

/** The carrier's own ring timeout, longer than most of ours. */
const CARRIER_RING_TIMEOUT_MS = 90_000;
const SILENT: Script = { kind: 'silent' };

export function planOf(record: LegRecord): LegPlan {
  return record.direction === 'inbound' ? planInbound(record) : planLeg(record.to, record.ordinal);
}

/** An inbound caller: rings until answered or gives up, then says its lines and hangs up [running.4]. */
function planInbound({ from, originatedAt, answeredAt, givesUpAt, script }: LegRecord): LegPlan {
  const sinceMs = (at: Date): number => at.getTime() - originatedAt.getTime();
  return {
    ringingMs: 0,
    answeredMs: answeredAt && sinceMs(answeredAt),
    unanswered: { cause: 'remote', atMs: sinceMs(givesUpAt ?? originatedAt) },
    machineMs: null,
    hangsUpAfterMs: null,
    script: { kind: 'lines', lines: script ?? humanLines(from) },
    losesAnswer: false,
    repeatsEvents: false,
  };
}

/** `ordinal` counts the workspace's calls to this number from 0; only numbers ending in 0009 use it. */
export function planLeg(to: string, ordinal: number): LegPlan {
  const ringingMs = 200 + draw(to, 'ringing', 300);
  const answeredMs = 1000 + draw(to, 'answer', 1000);
  const answers: LegPlan = {
    ringingMs,
    answeredMs,
    unanswered: { cause: 'no_answer', atMs: CARRIER_RING_TIMEOUT_MS },
    machineMs: null,
    hangsUpAfterMs: null,
    script: { kind: 'lines', lines: humanLines(to) },
    losesAnswer: false,
    repeatsEvents: false,
  };
  const ringsOut: LegPlan = { ...answers, answeredMs: null, script: SILENT };
  const fails = (cause: LegPlan['unanswered']['cause'], atMs: number): LegPlan => ({
    ...ringsOut,
    ringingMs: null,
    unanswered: { cause, atMs },
  });

  switch (to.slice(-4)) {
    case '0001':
      return ringsOut;
    case '0002':
      return fails('busy', 800);
    case '0003':
      return { ...answers, machineMs: answeredMs + 1000, script: SILENT };
    case '0004':
      return fails('transient', 500);
    case '0005':
      return fails('refused', 500);
    case '0006':
      return { ...answers, script: SILENT };
    case '0007':
      return { ...answers, script: { kind: 'endless', lines: humanLines(to) } };
    case '0008':
      return { ...answers, script: SILENT, hangsUpAfterMs: 300 };
    case '0009':
      return ordinal % 2 === 0 ? ringsOut : answers;
    case '0010':
      return { ...answers, script: { kind: 'tools' } };
    case '0011':
      return { ...answers, losesAnswer: true };
    case '0012':
      return { ...answers, repeatsEvents: true };
    default:
      return answers;
  }
}
