import type { CallType, DisconnectionReason, TimelineEntry } from '@parley/contracts';
import type { TimelineEvent } from './timeline-event.ts';

/** The call of a timeline. */
export type TimelineCall = {
  callType: CallType;
  fromNumber: string | null;
  toNumber: string | null;
  callSid: string | null;
  reason: DisconnectionReason | null;
  duration: number | null;
  cost: number | null;
  startedAt: Date | null;
  endedAt: Date | null;
};

type ToolUse = Omit<Extract<TimelineEntry, { type: 'tool' }>, 'at' | 'type' | 'message'>;

type TurnDetail = Omit<Extract<TimelineEntry, { type: 'turn' }>, 'at' | 'type' | 'message'>;

/** An event, or a turn or tool execution, which have their own tables. */
export type TimelineItem =
  | TimelineEvent
  | { at: Date; type: 'turn'; detail: TurnDetail }
  | { at: Date; type: 'tool'; detail: ToolUse };
