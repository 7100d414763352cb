import type { DisconnectionReason } from '@parley/contracts';
import type { EndCause } from '../carrier/port.ts';

/** Why a call that came in is turned away. */
export type RejectionCause = 'rejected' | 'no_assistant' | 'too_many_calls';

/**
 * Why a call is over: a carrier's cause, or ours. `withdrawn`: its number or assistant went before it was dialled;
 * `stopped`: a client asked for it;
 * `no_assistant`, `too_many_calls`: why a call that came in was turned away; `unsettled`: nobody could tell what became of the dial; `failed`: the platform could not go on.
 */
export type CallEndCause = EndCause | 'withdrawn' | 'stopped' | RejectionCause | 'unsettled' | 'failed';

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
  if (cause === 'failed' || (cause === 'lost' && answeredMs !== null)) return over('error');
  if (cause === 'transferred') return over('call_transfer');
  if (cause === 'stopped') return over('agent_hangup');
  if (answeredMs === null) return unanswered(cause);
  if (machineDetected) return { reason: 'voicemail', retryable: !messageLeft };
  if (cause !== 'local') return over('user_hangup');
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
      return over('dial_failed');
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
