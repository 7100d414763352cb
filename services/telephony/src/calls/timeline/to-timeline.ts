import type { TimelineEntry } from '@parley/contracts';
import { toIsoMillis } from '@parley/kit/time';
import { describeItem } from './describe-item.ts';
import type { TimelineCall, TimelineItem } from './ports.ts';

/** The order of entries with the same instant. */
const STAGES: Record<TimelineItem['type'], number> = {
  queued: 0,
  dialing: 1,
  inbound_webhook: 2,
  ringing: 3,
  answered: 4,
  machine_detected: 5,
  turn: 6,
  tool: 6,
  dtmf: 6,
  recording: 6,
  transfer: 7,
  ended: 8,
  recording_stored: 9,
  analyzed: 10,
  transcription_failed: 11,
};

/** Ends of dials that never left, although they were written as `dialing`. */
const NEVER_LEFT: ReadonlySet<string> = new Set([
  'do_not_call',
  'number_unavailable',
  'withdrawn',
  'interrupted',
  'no_carrier',
  'no_route',
]);

/** The timeline of a call, in order [calls.11]. `items` of one instant and stage keep their order. */
export function toTimeline(call: TimelineCall, items: readonly TimelineItem[]): TimelineEntry[] {
  const neverLeft = items.some((item) => item.type === 'ended' && NEVER_LEFT.has(item.detail.cause));
  return items
    .filter(({ type }) => type !== 'dialing' || !neverLeft)
    .map((item) => ({ ...item, at: withinCall(call, item) }))
    .sort((a, b) => a.at.getTime() - b.at.getTime() || STAGES[a.type] - STAGES[b.type])
    .map((item) => toEntry(call, item));
}

/** No turn is shown after the end: one with a later instant was recorded late. A dial is shown at the time it was sent. */
function withinCall({ startedAt, endedAt }: TimelineCall, { type, at }: TimelineItem): Date {
  // A dial may have been sent at another time than its slot.
  if (type === 'dialing') return startedAt ?? at;
  const isTalk =
    type === 'turn' || type === 'tool' || type === 'dtmf' || type === 'transfer' || type === 'recording';
  return isTalk && endedAt && endedAt < at ? endedAt : at;
}

function toEntry(call: TimelineCall, item: TimelineItem): TimelineEntry {
  const head = { at: toIsoMillis(item.at), message: describeItem(call, item) };
  switch (item.type) {
    case 'queued':
    case 'dialing':
      return { ...head, type: item.type, from_number: call.fromNumber, to_number: call.toNumber };
    case 'ringing':
    case 'answered':
      return { ...head, type: item.type, call_sid: call.callSid };
    case 'machine_detected':
      return { ...head, type: item.type };
    case 'ended': {
      const { reason, duration, cost } = call;
      return { ...head, type: item.type, disconnection_reason: reason, duration, cost, ...item.detail };
    }
    default:
      return { ...head, ...item.detail, type: item.type } as TimelineEntry;
  }
}
