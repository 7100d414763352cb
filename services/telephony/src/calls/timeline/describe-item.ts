import { describeEnd } from './describe-end.ts';
import type { TimelineCall, TimelineItem } from './ports.ts';

const MAX_QUOTE = 200;

/** A sentence for an entry. */
export function describeItem(call: TimelineCall, item: TimelineItem): string {
  const { callType, fromNumber, toNumber } = call;
  switch (item.type) {
    case 'queued':
      if (callType === 'web') return 'The call waits to be joined.';
      if (callType === 'inbound') return `A call from ${fromNumber} to ${toNumber} arrived.`;
      return `The call waits to be dialed from ${fromNumber} to ${toNumber}.`;
    case 'dialing':
      return `Dialing ${toNumber} from ${fromNumber}.`;
    case 'ringing':
      return callType === 'web' ? 'The call rings.' : `It rings at ${toNumber}.`;
    case 'answered':
      if (callType === 'web') return 'The call was joined.';
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
    case 'dtmf':
      return `${item.detail.direction === 'received' ? 'The contact' : 'The assistant'} pressed ${item.detail.digits}.`;
    case 'ended':
      return describeEnd(call, item.detail);
    case 'recording':
      return item.detail.state === 'paused' ? 'The recording was paused.' : 'The recording was resumed.';
    case 'recording_stored':
      return `The recording was stored: ${item.detail.seconds} seconds.`;
    case 'transcription_failed':
      return `The transcript could not be rebuilt from the recording: ${item.detail.error}.`;
    case 'analyzed':
      return describeAnalysis(item.detail);
  }
}

type DetailOf<T extends TimelineItem['type']> = Extract<TimelineItem, { type: T; detail: unknown }>['detail'];

function describeTool({ tool_name, error, slow }: DetailOf<'tool'>): string {
  if (error !== null) return `The assistant used ${tool_name}, which failed${because(error)}.`;
  return `The assistant used ${tool_name}${slow ? ', which was slow to respond' : ''}.`;
}

function describeWebhook({ outcome, error, agent_id }: DetailOf<'inbound_webhook'>): string {
  switch (outcome) {
    case 'rejected':
      return 'The inbound webhook rejected the call.';
    case 'used':
      return agent_id
        ? 'The inbound webhook chose the assistant.'
        : "The inbound webhook kept the number's own assistant.";
    default:
      return `The inbound webhook gave no valid response${because(error)}: the number's own assistant answers.`;
  }
}

function describeAnalysis({ edition, complete }: DetailOf<'analyzed'>): string {
  if (edition > 1) return 'The transcript was rebuilt from the recording.';
  return complete
    ? 'Transcript, summary and analysis are ready.'
    : 'The post-call analysis failed: its results are incomplete.';
}

const because = (error: string | null): string => (error === null ? '' : ` (${error})`);

function quote(text: string): string {
  return text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}...` : text;
}
