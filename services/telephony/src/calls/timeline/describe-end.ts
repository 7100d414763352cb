import type { CallType, DisconnectionReason } from '@parley/contracts';
import { TOO_LONG } from '../../assistants/prepare-prompt.ts';
import type { TimelineCall, TimelineItem } from './ports.ts';

/** Details of causes that the disconnection reason does not explain. */
const CAUSES: Readonly<Record<string, string>> = {
  do_not_call: 'The number is on the do-not-call list and was not dialed.',
  number_unavailable: 'The calling number was deleted or deactivated: the call was not dialed.',
  agent_unavailable: 'The assistant was deleted: the number was not dialed.',
  assistant_unreachable: 'The assistant could not be loaded in time: the number was not dialed.',
  texts_too_long: `${TOO_LONG}.`,
  withdrawn: 'The call was withdrawn before it was dialed.',
  destination_not_allowed: "The number is not in the workspace's allowed destinations: it was not dialed.",
  stopped: 'The call was stopped by request.',
  workspace_suspended: 'The workspace was suspended.',
  suspended: 'The workspace is suspended: the call was rejected.',
  no_assistant: 'No assistant was assigned to answer: the call was rejected.',
  too_many_calls: 'The workspace had reached its maximum of concurrent calls: the call was rejected.',
  interrupted: 'The call worker stopped before the carrier received the call: the number was not dialed.',
  unsettled: 'The carrier never reported the outcome of the dial.',
  no_carrier: 'No carrier is configured for the number: it was not dialed.',
  no_route: 'The call was not sent to its trunk.',
  no_media: 'The carrier answered the call but provided no audio.',
  media_lost: 'The audio of the call broke off.',
  no_speech: 'No configured provider could speak or recognize speech.',
  no_audio: "The assistant's model listens and talks itself, and the call has no audio.",
  model_failed: "The assistant's live model could not be reached or failed repeatedly.",
  failed: 'The platform could not continue the call.',
  lost: 'The carrier lost the call.',
  transient: 'The carrier could not connect the call; another attempt may succeed.',
  refused: 'The carrier rejected the call permanently.',
};

/** `{human}`: who the assistant talked to. */
const REASONS: Readonly<Record<DisconnectionReason, string>> = {
  user_hangup: 'The {human} hung up',
  agent_hangup: 'The assistant hung up',
  completed: 'The call was completed',
  timeout: 'The call reached its maximum duration and was ended',
  voicemail: 'The call reached voicemail and was ended',
  dial_no_answer: 'The call was not answered',
  dial_busy: 'The line was busy',
  dial_failed: 'The dial failed',
  call_transfer: 'The {human} was transferred, and the assistant left the call',
  call_rejected: 'The call was rejected',
  error: 'The call ended with an error',
  error_user_not_joined: 'The call was not joined in time',
};

const HUMANS: Readonly<Record<CallType, string>> = {
  inbound: 'caller',
  outbound: 'contact',
  web: 'visitor',
};

type EndDetail = Extract<TimelineItem, { type: 'ended' }>['detail'];

/** How and why a call ended, in a sentence. */
export function describeEnd(call: TimelineCall, { cause, ...provider }: EndDetail): string {
  const words = [provider.provider_code, provider.provider_text].filter(Boolean).join(' ');
  // Nothing was sent, so the text is ours and not the carrier's.
  if (cause === 'no_route' && words !== '') return `The call was not sent to its trunk: ${words}.`;
  return words === ''
    ? describeCause(call, cause)
    : `${describeCause(call, cause)} The carrier's words: ${words}`;
}

function describeCause({ reason, duration, callType }: TimelineCall, cause: string): string {
  if (callType === 'web' && cause === 'lost')
    return 'The connection to the visitor could not be established.';
  const why = CAUSES[cause];
  if (why !== undefined) return why;
  const how = REASONS[reason ?? 'completed'].replace('{human}', HUMANS[callType]);
  return duration ? `${how} after ${duration} seconds.` : `${how}.`;
}
