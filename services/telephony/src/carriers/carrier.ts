import type { Lifecycle } from '@parley/kit/lifecycle';
import type { TextPort } from './text-port.ts';

/**
 * How a leg ended. Each carrier maps its own causes to these in one table.
 * `remote`: the far end hung up, also before we answered; `local`: we hung up; `no_answer`, `busy`, `transient` and
 * `refused`: never answered (`refused` is permanent: a retry will not help); `transferred`: the far end was connected
 * to a third party; `lost`: the carrier dropped the leg; `rejected`: we declined an inbound call.
 */
export type EndCause =
  | 'remote'
  | 'local'
  | 'no_answer'
  | 'busy'
  | 'transient'
  | 'refused'
  | 'transferred'
  | 'lost'
  | 'rejected';

/**
 * An event of a leg. Events may arrive in any order and repeatedly. `at` is when it happened, in platform time; `legId` is
 * null for web calls. `ended` contains everything known about the leg, so nothing is lost if it arrives first.
 */
export type LegEvent = { legId: string | null; at: Date } & (
  | { type: 'ringing' }
  | { type: 'answered' }
  | { type: 'machine_detected' }
  | { type: 'dtmf'; digits: string }
  | { type: 'transfer_result'; transferId: string; ok: boolean }
  | { type: 'ended'; cause: EndCause; answeredAt: Date | null; machine: boolean }
);

export type LegListener = (event: LegEvent) => void;

export type OriginateRequest = {
  /** The call's id: identifies the leg at the carrier, also when the response to `originate` was lost. */
  reference: string;
  workspaceId: string;
  from: string;
  to: string;
};

/** An inbound call. The carrier chooses the reference, which becomes the call's id. */
export type InboundRing = {
  reference: string;
  legId: string;
  from: string;
  to: string;
  at: Date;
  /** When the caller hung up, if no worker had taken the call by then. */
  goneAt: Date | null;
  /** The owner of the number at the time of the call, if the carrier knows it. */
  workspaceId: string | null;
};

/** Returns true if the call was taken; otherwise it is offered again. */
export type RingListener = (ring: InboundRing) => Promise<boolean>;

/** The state of the conversation, for a worker that takes the call over. */
export type Progress = { humanTurns: number; lastSpeaker: 'user' | 'agent' | null };

export type TransferRequest = {
  reference: string;
  /** Its result carries the same id, since it may arrive after a later transfer was requested. */
  transferId: string;
  destination: string;
  type: 'cold' | 'warm';
};

export type SmsRequest = {
  workspaceId: string;
  from: string;
  to: string;
  text: string;
  /** The tool's own account, or null to use the number's. */
  account: { accountSid: string; authToken: string } | null;
};

/** Signalling of a carrier. All operations are idempotent by `reference`, except `originate` and `sendSms`. */
export type Carrier = {
  name: string;
  capabilities: { machineDetection: boolean; transfer: boolean; sms: boolean; media: 'text' };
  /** Subscribes to the events of a reference that this process receives. Returns the unsubscribe function. */
  watch(reference: string, listener: LegListener): () => void;
  /** Requests a leg once. Rejects if the carrier's response was lost: the leg may or may not exist. */
  originate(request: OriginateRequest): Promise<{ legId: string }>;
  /**
   * Delivers inbound calls, each to one process at a time, until the lifecycle stops. If the listener returns false or
   * rejects, the call is offered again to any process while it rings.
   */
  receive(listener: RingListener, lifecycle: Lifecycle): void;
  /** Answers an inbound call unless the caller has hung up; `answered` follows. */
  answer(reference: string): Promise<void>;
  /** Declines an inbound call; `ended` with `rejected` follows. */
  reject(reference: string): Promise<void>;
  /**
   * Moves the leg to this process and emits its past events again. Returns false if the carrier does not know the leg
   * (yet).
   */
  attach(reference: string, progress: Progress): Promise<boolean>;
  /** Releases the leg, which continues without this process. */
  detach(reference: string): void;
  hangup(reference: string): Promise<void>;
  /** Emits `transfer_result`, and `ended` with `transferred` after a successful cold transfer. */
  transfer(request: TransferRequest): Promise<void>;
  /** `refused` is the carrier's reason, for humans. Rejects if the carrier could not be reached. */
  sendSms(request: SmsRequest): Promise<{ messageId: string } | { refused: string }>;
  /** The conversation as text; undefined if this process does not hold the leg. */
  media(reference: string): TextPort | undefined;
  health(): Promise<boolean>;
};
