import type { MessageData } from '@parley/contracts';

/** A request in the queue. Its `callId` is the id of the attempt, and of the call that it becomes. */
export type DialRequest = {
  callId: string;
  workspaceId: string;
  phoneNumberId: string;
  agentId: string;
  toNumber: string;
  dynamicVariables: Record<string, unknown>;
  requestedAt: Date;
  /** `notAfter`: its business hours close then. */
  campaign: { campaignId: string; contactId: string; generation: number; notAfter: Date | null } | null;
};

/** The reasons beside those of campaigns are for single calls only. */
export type RefusalReason = MessageData<'dial.refused'>['reason'] | UnpreparedReason;
/** The call ends with `error`. */
export type UnpreparedReason = 'assistant_unreachable' | 'texts_too_long';

/** A request that is never dialed. */
export type Refusal = { request: DialRequest; reason: RefusalReason };

/** A number and its clock. */
export type NumberPace = {
  phoneNumberId: string;
  workspaceId: string;
  phoneNumber: string;
  isActive: boolean;
  maxCps: number;
  /** Its next free slot: stack time in milliseconds with fractions, because a rate like 30 has no whole interval. */
  nextSlotMs: number;
  /** While its circuit is open: when campaigns dial one attempt, and none before. */
  probeAt: Date | null;
};
