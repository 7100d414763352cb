import type { DisconnectionReason } from '@parley/contracts';
import type { EndCause } from '../carrier/port.ts';

/** Why a call that came in is turned away. */
export type RejectionCause = 'rejected' | 'no_assistant' | 'too_many_calls';

/** Why a dial that was granted doesn't leave after all: what was decided meanwhile. */
export type Obstacle = 'do_not_call' | 'number_unavailable' | 'withdrawn';

/**
 * Why a call is over: a carrier's cause, or ours. `timed_out`: it was up for as long as it may be; `stopped`: a client
 * asked for it; `withdrawn`: its number or assistant went before it was dialled; `no_assistant`, `too_many_calls`: why a
 * call that came in was turned away; an obstacle: why a dial didn't leave; `unsettled`: nobody could tell what became of the dial; `failed`: the platform could
 * not go on.
 */
export type CallEndCause =
  | EndCause
  | 'timed_out'
  | 'stopped'
  | 'not_joined'
  | 'withdrawn'
  | RejectionCause
  | Obstacle
  | 'unsettled'
  | 'failed';

/** What the end of a leg tells, whatever was heard before. */
export type EndFacts = { cause: CallEndCause; at: Date; answeredAt: Date | null; machine: boolean };

export type EndCircumstances = {
  /** How long after the answer; null: never answered. */
  answeredMs: number | null;
  machineDetected: boolean;
  messageLeft: boolean;
  maxDurationMs: number;
};

export type EndVerdict = { reason: DisconnectionReason; retryable: boolean };

/** Outcome and whether another attempt may help (spec: max_retries; D6.4, D7.3). */
export function judgeEnd(cause: CallEndCause, circumstances: EndCircumstances): EndVerdict {
  const { answeredMs, machineDetected, messageLeft } = circumstances;
  if (cause === 'failed') return over('error');
  if (cause === 'transferred') return over('call_transfer');
  if (cause === 'stopped') return over('agent_hangup');
  if (answeredMs === null) return unanswered(cause);
  if (cause === 'lost' || cause === 'unsettled') return over('error');
  if (machineDetected) return { reason: 'voicemail', retryable: !messageLeft };
  if (cause === 'timed_out') return over('timeout');
  if (cause !== 'local') return over('user_hangup');
  // Whoever hung up because the time was over may have died before the carrier said so.
  return over(answeredMs >= circumstances.maxDurationMs ? 'timeout' : 'agent_hangup');
}

function unanswered(cause: CallEndCause): EndVerdict {
  switch (cause) {
    case 'busy':
      return { reason: 'dial_busy', retryable: true };
    case 'transient':
    case 'lost':
    case 'unsettled':
      return { reason: 'dial_failed', retryable: true };
    case 'refused':
    case 'withdrawn':
    case 'do_not_call':
    case 'number_unavailable':
      return over('dial_failed');
    case 'not_joined':
      return over('error_user_not_joined');
    case 'rejected':
    case 'no_assistant':
    case 'too_many_calls':
      return over('call_rejected');
    // A caller who didn't wait for our answer.
    case 'remote':
      return over('user_hangup');
    default:
      return { reason: 'dial_no_answer', retryable: true };
  }
}

function over(reason: DisconnectionReason): EndVerdict {
  return { reason, retryable: false };
}
