import { describeEnd } from './describe-end.ts';
import type { TimelineCall, TimelineItem } from './ports.ts';

const MAX_QUOTE = 200;

/** What happened, in a sentence. */
export function describeItem(call: TimelineCall, item: TimelineItem): string {
  const { callType, fromNumber, toNumber } = call;
  switch (item.type) {
    case 'queued':
      if (callType === 'web') return 'The call waits for somebody to join it.';
      if (callType === 'inbound') return `A call from ${fromNumber} to ${toNumber} came in.`;
      return `The call waits to be dialled from ${fromNumber} to ${toNumber}.`;
    case 'dialing':
      return `The carrier is asked to call ${toNumber} from ${fromNumber}.`;
    case 'ringing':
      return callType === 'web' ? 'The call rings.' : `It rings at ${toNumber}.`;
    case 'answered':
      if (callType === 'web') return 'Somebody joined the call.';
      return callType === 'inbound' ? 'The assistant answered.' : `${toNumber} picked up.`;
    case 'machine_detected':
      return 'A voicemail or another machine picked up.';
    case 'turn':
      return `${item.detail.role === 'agent' ? 'The assistant' : 'The contact'} said: ${quote(item.detail.content)}`;
    case 'tool':
      return describeTool(item.detail);
    case 'transfer': {
      const { destination, ok, error } = item.detail;
      return ok
        ? `The call was transferred to ${destination}.`
        : `The call could not be transferred to ${destination}${because(error)}.`;
    }
    case 'inbound_webhook':
      return describeWebhook(item.detail);
    case 'ended':
      return describeEnd(call, item.detail.cause);
    case 'recording_stored':
      return `The recording was stored: ${item.detail.seconds} seconds.`;
    case 'analyzed':
      return describeAnalysis(item.detail);
  }
}

type DetailOf<T extends TimelineItem['type']> = Extract<TimelineItem, { type: T; detail: unknown }>['detail'];

function describeTool({ tool_name, error, slow }: DetailOf<'tool'>): string {
  if (error !== null) return `The assistant used ${tool_name}, which failed${because(error)}.`;
  return `The assistant used ${tool_name}${slow ? ', which was slow to answer' : ''}.`;
}

function describeWebhook({ outcome, error, agent_id }: DetailOf<'inbound_webhook'>): string {
  switch (outcome) {
    case 'rejected':
      return 'The inbound webhook had the call rejected.';
    case 'used':
      return agent_id
        ? 'The inbound webhook chose the assistant.'
        : 'The inbound webhook left the assistant to the number.';
    default:
      return `The inbound webhook gave no answer that could be used${because(error)}: the number's own assistant answers.`;
  }
}

function describeAnalysis({ edition, complete }: DetailOf<'analyzed'>): string {
  if (edition > 1) return 'The transcript was rebuilt from the recording.';
  return complete
    ? 'Transcript, summary and analysis are ready.'
    : 'Post-call analysis was given up: this is told with what there is.';
}

const because = (error: string | null): string => (error === null ? '' : ` (${error})`);

function quote(text: string): string {
  return text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}...` : text;
}
