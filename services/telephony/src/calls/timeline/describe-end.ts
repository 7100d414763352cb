import type { DisconnectionReason } from '@parley/contracts';
import type { TimelineCall } from './ports.ts';

/** What lies behind an end, where the reason alone doesn't tell it. */
const CAUSES: Readonly<Record<string, string>> = {
  do_not_call: 'The number is on the do-not-call list and was not dialled.',
  number_unavailable:
    'The number that it was to be dialled from is deleted or switched off: it was not dialled.',
  agent_unavailable: 'The assistant is deleted: the number was not dialled.',
  assistant_unreachable: 'The assistant could not be asked for in time: the number was not dialled.',
  withdrawn: 'The call was withdrawn before it was dialled.',
  destination_not_allowed:
    "The number is outside of the workspace's allowed destinations: it was not dialled.",
  stopped: 'The call was stopped by request, or its workspace was suspended.',
  suspended: 'The workspace is suspended: the call was rejected.',
  no_assistant: 'No assistant was there to answer: the call was rejected.',
  too_many_calls: 'The workspace had as many calls as it may have: the call was rejected.',
  unsettled: 'The carrier never told what became of the dial.',
  failed: 'The platform could not go on with the call.',
  lost: 'The carrier lost the call.',
  transient: 'The carrier could not put the call through; another attempt may work.',
  refused: 'The carrier refused the call for good.',
};

const REASONS: Readonly<Record<DisconnectionReason, string>> = {
  user_hangup: 'The contact hung up',
  agent_hangup: 'The assistant hung up',
  completed: 'The call was finished',
  timeout: 'The call reached its longest duration and was ended',
  voicemail: 'The call reached voicemail and was ended',
  dial_no_answer: 'Nobody picked up',
  dial_busy: 'The line was busy',
  dial_failed: 'The dial failed',
  call_transfer: 'The contact was handed over, and the assistant left the call',
  call_rejected: 'The call was rejected',
  error: 'The call ended with an error',
  error_user_not_joined: 'Nobody joined the call in time',
};

/** How and why a call ended, in a sentence. */
export function describeEnd({ reason, duration }: TimelineCall, cause: string): string {
  const why = CAUSES[cause];
  if (why !== undefined) return why;
  const how = REASONS[reason ?? 'completed'];
  return duration ? `${how} after ${duration} seconds.` : `${how}.`;
}
