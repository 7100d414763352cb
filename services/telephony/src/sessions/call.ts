import type { CallStatus, CallType, DisconnectionReason } from '@parley/contracts';

/**
 * The state behind `status`. `queued` waits to be dialed; `dialing`: committed, and the request is sent; `unknown`: the
 * carrier's response was lost, so it is queried and the call never dialed again; `selecting_assistant`: an inbound or web
 * call rings and its assistant is not selected yet; then `ringing`, `up`, `ended`.
 */
export type CallPhase = 'queued' | 'dialing' | 'unknown' | 'selecting_assistant' | 'ringing' | 'up' | 'ended';

/** The `agent_id` of a call without an assistant. */
export const NO_AGENT_ID = '00000000-0000-0000-0000-000000000000';

/** Who requested the end of a call: a client [calls.2] (or the erasure of a person), or the suspension of its workspace [trust.24]. */
export type StopCause = 'stopped' | 'workspace_suspended';

/** The part of a call that changes. Instants are those of the carrier, not the arrival times of its events. */
export type CallState = {
  phase: CallPhase;
  callSid: string | null;
  startedAt: Date | null;
  answeredAt: Date | null;
  endedAt: Date | null;
  /** Whole seconds, rounded up; null before the end [general.5]. */
  duration: number | null;
  /** Cents; null before the end. */
  cost: number | null;
  reason: DisconnectionReason | null;
  machineDetected: boolean;
  voicemailMessageLeft: boolean;
  retryable: boolean;
};

/** A call in its worker. */
export type Call = {
  id: string;
  workspaceId: string;
  callType: CallType;
  phoneNumberId: string | null;
  fromNumber: string | null;
  toNumber: string | null;
  agentId: string;
  agentVersion: number;
  agentWebhookUrl: string | null;
  campaign: { campaignId: string; contactId: string } | null;
  dynamicVariables: Record<string, unknown>;
  rateCents: number;
  /** Incremented by each worker that takes the call; every write of a worker carries it. */
  fence: number;
  createdAt: Date;
  /** Real time from which this copy may have data that was erased since: when it was read, or when the call began, if a worker took it over. */
  readAt?: Date;
  /** Its end was requested. */
  stopCause: StopCause | null;
  /** What is said now is not recorded [calls.28]. */
  isRecordingPaused?: boolean;
  /** The trace of the request that created it. */
  traceparent?: string | null;
  /** The maximum duration of a call of a public key [trust.7]. */
  maxDurationSeconds?: number | null;
  /** The name of its carrier; null: the call was created by the previous version. */
  carrier?: string | null;
  /** What that carrier stored to continue the call in another worker. */
  carrierState?: unknown;
  /** The handle of a live model to continue the conversation over another connection. */
  modelState?: unknown;
  /** Not a real call: an assistant is being tested [dashboard.10]. */
  isTest?: boolean;
  state: CallState;
};

/** The maximum duration of a call: its assistant's, or its own if that is shorter. */
export function maxDurationMs({ maxDurationSeconds }: Call, ofAssistantMs: number): number {
  return Math.min(ofAssistantMs, maxDurationSeconds ? maxDurationSeconds * 1_000 : Number.POSITIVE_INFINITY);
}

const STATUS: Record<CallPhase, CallStatus> = {
  queued: 'queued',
  dialing: 'queued',
  unknown: 'queued',
  selecting_assistant: 'ringing',
  ringing: 'ringing',
  up: 'in-progress',
  ended: 'completed',
};

/** The status that clients see [calls.4]. */
export function statusOf(phase: CallPhase): CallStatus {
  return STATUS[phase];
}
