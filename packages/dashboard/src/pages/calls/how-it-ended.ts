import type { CallStatus, CallType } from '@parley/contracts';

/** `good`: there was a conversation; `missed`: the human was not reached; `bad`: something failed; `live`: it goes on. */
type Tone = 'good' | 'missed' | 'bad' | 'live';
export type Ending = { label: string; tone: Tone };

type EndedCall = {
  status: CallStatus;
  call_type: CallType;
  disconnection_reason: string | null;
};

const LIVE: Readonly<Record<Exclude<CallStatus, 'completed'>, string>> = {
  queued: 'Waiting to be dialed',
  ringing: 'Ringing',
  'in-progress': 'In conversation',
};

const ENDINGS: Readonly<Record<string, Ending>> = {
  user_hangup: { label: 'Contact hung up', tone: 'good' },
  agent_hangup: { label: 'Assistant hung up', tone: 'good' },
  completed: { label: 'Completed', tone: 'good' },
  call_transfer: { label: 'Transferred', tone: 'good' },
  timeout: { label: 'Maximum duration', tone: 'good' },
  voicemail: { label: 'Voicemail', tone: 'missed' },
  dial_no_answer: { label: 'No answer', tone: 'missed' },
  dial_busy: { label: 'Busy', tone: 'missed' },
  error_user_not_joined: { label: 'Visitor did not join', tone: 'missed' },
  call_rejected: { label: 'Rejected', tone: 'bad' },
  dial_failed: { label: 'Could not be dialed', tone: 'bad' },
  error: { label: 'Ended with an error', tone: 'bad' },
  // Of contacts, which need not have been called.
  do_not_call: { label: 'On the do-not-call list', tone: 'missed' },
  destination_not_allowed: { label: 'Destination not allowed', tone: 'bad' },
  erased: { label: 'Erased', tone: 'missed' },
};

/** The reasons that calls can be filtered by, the most frequent first. */
export const REASONS = [
  'user_hangup',
  'agent_hangup',
  'completed',
  'call_transfer',
  'timeout',
  'voicemail',
  'dial_no_answer',
  'dial_busy',
  'dial_failed',
  'call_rejected',
  'error',
  'error_user_not_joined',
] as const;

/** A disconnection reason, or the outcome of a contact, in words. The set is open [calls.5]. */
export function endingOf(reason: string): Ending {
  return ENDINGS[reason] ?? { label: reason.replaceAll('_', ' '), tone: 'missed' };
}

/** How a call ended, or where it is now. */
export function stateOf({ status, call_type, disconnection_reason }: EndedCall): Ending {
  if (status !== 'completed') {
    const isUnjoined = call_type === 'web' && status === 'ringing';
    return { label: isUnjoined ? 'Waiting for the visitor' : LIVE[status], tone: 'live' };
  }
  const ending = endingOf(disconnection_reason ?? 'completed');
  if (call_type === 'web' && disconnection_reason === 'user_hangup')
    return { ...ending, label: 'Visitor hung up' };
  return call_type === 'inbound' && disconnection_reason === 'user_hangup'
    ? { ...ending, label: 'Caller hung up' }
    : ending;
}
