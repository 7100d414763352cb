import type { CallStatus, CallType, DisconnectionReason } from '@parley/contracts';

/**
 * What `status` hides. `queued` waits to be dialled; `dialing` is committed and the request leaves; `unknown`: the
 * carrier's answer was lost, so it is asked and never dialled again; then `ringing`, `up`, `ended`.
 */
export type CallPhase = 'queued' | 'dialing' | 'unknown' | 'ringing' | 'up' | 'ended';

/** What changes in the life of a call. Instants are the carrier's, not those of their arrival. */
export type CallState = {
  phase: CallPhase;
  callSid: string | null;
  startedAt: Date | null;
  answeredAt: Date | null;
  endedAt: Date | null;
  /** Whole seconds, rounded up; null before the end (D1.10). */
  duration: number | null;
  /** Cents; null before the end. */
  cost: number | null;
  reason: DisconnectionReason | null;
  machineDetected: boolean;
  voicemailMessageLeft: boolean;
  retryable: boolean;
};

/** A call as its worker holds it. */
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
  /** Raised by each worker that takes the call: every write of a worker carries it. */
  fence: number;
  createdAt: Date;
  /** A client wants it ended (D6.2). */
  stopRequested: boolean;
  /** The trace of whoever asked for it, where traces are kept. */
  traceparent?: string | null;
  state: CallState;
};

const STATUS: Record<CallPhase, CallStatus> = {
  queued: 'queued',
  dialing: 'queued',
  unknown: 'queued',
  ringing: 'ringing',
  up: 'in-progress',
  ended: 'completed',
};

/** What clients are told (D6.3). */
export function statusOf(phase: CallPhase): CallStatus {
  return STATUS[phase];
}
