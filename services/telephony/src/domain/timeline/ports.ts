import type { CallType, DisconnectionReason, TimelineEntry } from '@parley/contracts';
import type { Happening } from './happening.ts';

/** What a timeline tells of the call itself. */
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

/** A happening, or a turn or the use of a tool, which have tables of their own. */
export type TimelineItem =
  | Happening
  | { at: Date; type: 'turn'; detail: { role: 'user' | 'agent'; content: string } }
  | { at: Date; type: 'tool'; detail: ToolUse };

export type Timelines = {
  /** Everything that is on record of a call, by its instants; undefined: the workspace has no such call. */
  find(
    workspaceId: string,
    callId: string,
  ): Promise<{ call: TimelineCall; items: TimelineItem[] } | undefined>;
};
