import type { CallType, DisconnectionReason } from '@parley/contracts';
import type { EndCause, ProviderCause } from '../carriers/call-control.ts';
import type { StopCause } from './call.ts';

/** Why an inbound call is rejected. */
export type RejectionCause = 'rejected' | 'no_assistant' | 'texts_too_long' | 'too_many_calls' | 'suspended';

/** Why the worker of a call ends it. */
export type OwnEndCause =
  /** The conversation, or the ring time, is over. */
  | 'local'
  /** Its maximum duration is over. */
  | 'timed_out'
  | StopCause
  | RejectionCause
  /** The outcome of the dial stayed unknown. */
  | 'unsettled'
  /** Its worker died while the dial was being sent, and the carrier does not know the call. */
  | 'interrupted'
  /** The media never started. */
  | 'no_media'
  /** The media stopped. */
  | 'media_lost'
  /** No provider could speak or recognize speech. */
  | 'no_speech'
  /** The live model needs audio, and the line carries text. */
  | 'no_audio'
  /** The live model could not continue. */
  | 'model_failed'
  /** The platform could not continue. */
  | 'failed';

/** Why a call is over: what the carrier reports, what its worker decided, or a reason for which it never got a worker. */
export type CallEndCause =
  | EndCause
  | OwnEndCause
  /** No client joined the web call in time. */
  | 'not_joined'
  /** Its request was refused before the dial, such as after its number was deleted. The timeline gives the reason. */
  | 'withdrawn';

/** Everything that the end of a leg reports, also of earlier events. */
export type EndFacts = {
  cause: CallEndCause;
  at: Date;
  answeredAt: Date | null;
  machine: boolean;
  provider?: ProviderCause;
};

export type EndCircumstances = {
  callType: CallType;
  /** Milliseconds since the answer; null: never answered. */
  answeredMs: number | null;
  machineDetected: boolean;
  messageLeft: boolean;
  maxDurationMs: number;
};

export type EndVerdict = { reason: DisconnectionReason; retryable: boolean };

/** Calls that end for these ended with an error, whether they were answered or not. */
export const FAULTS: ReadonlySet<CallEndCause> = new Set<OwnEndCause>([
  'failed',
  'texts_too_long',
  'no_media',
  'media_lost',
  'no_speech',
  'no_audio',
  'model_failed',
]);

/** The reason of the end [calls.5], and whether another attempt may help [campaigns.12]. */
export function judgeEnd(cause: CallEndCause, circumstances: EndCircumstances): EndVerdict {
  const { answeredMs, machineDetected, messageLeft } = circumstances;
  if (FAULTS.has(cause)) return over('error');
  if (cause === 'transferred') return over('call_transfer');
  if (cause === 'stopped' || cause === 'workspace_suspended') return over('agent_hangup');
  if (answeredMs === null)
    return circumstances.callType === 'outbound' ? notAnswered(cause) : notTaken(cause);
  if (cause === 'lost' || cause === 'unsettled') return over('error');
  if (machineDetected) return { reason: 'voicemail', retryable: !messageLeft };
  if (cause === 'timed_out') return over('timeout');
  if (cause !== 'local') return over('user_hangup');
  // The worker that hung up for the maximum duration may have died before the carrier reported the end.
  return over(answeredMs >= circumstances.maxDurationMs ? 'timeout' : 'agent_hangup');
}

/** The far end did not answer the dial. */
function notAnswered(cause: CallEndCause): EndVerdict {
  switch (cause) {
    case 'busy':
      return { reason: 'dial_busy', retryable: true };
    case 'transient':
    case 'no_carrier':
    case 'no_route':
    case 'lost':
    case 'unsettled':
    case 'interrupted':
      return { reason: 'dial_failed', retryable: true };
    case 'refused':
    case 'withdrawn':
      return over('dial_failed');
    case 'remote':
      return over('user_hangup');
    default:
      return { reason: 'dial_no_answer', retryable: true };
  }
}

/** We did not answer the caller or visitor. Nothing was dialed, so no `dial_*` reason applies. */
function notTaken(cause: CallEndCause): EndVerdict {
  switch (cause) {
    case 'not_joined':
      return over('error_user_not_joined');
    case 'rejected':
    case 'no_assistant':
    case 'too_many_calls':
    case 'suspended':
      return over('call_rejected');
    // The caller hung up before our answer.
    case 'remote':
      return over('user_hangup');
    default:
      return over('error');
  }
}

function over(reason: DisconnectionReason): EndVerdict {
  return { reason, retryable: false };
}
