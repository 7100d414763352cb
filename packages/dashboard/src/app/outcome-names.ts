import type { DisconnectionReason } from '@parley/contracts';

/** How a call ended, in words. */
export const OUTCOME_NAMES: Readonly<Record<DisconnectionReason, string>> = {
  user_hangup: 'Human hung up',
  agent_hangup: 'Assistant hung up',
  completed: 'Completed',
  timeout: 'Longest duration reached',
  voicemail: 'Voicemail',
  dial_no_answer: 'No answer',
  dial_busy: 'Busy',
  dial_failed: 'Not connected',
  call_transfer: 'Transferred',
  call_rejected: 'Rejected',
  error: 'Error',
  error_user_not_joined: 'Visitor did not join',
};

export function outcomeName(reason: string): string {
  return Object.hasOwn(OUTCOME_NAMES, reason) ? OUTCOME_NAMES[reason as DisconnectionReason] : reason;
}
