import type { Lifecycle } from '@parley/kit/lifecycle';
import type { TextPort } from '../conversation/text-port.ts';

/**
 * How a leg ended, in our words; each carrier maps its own causes to these in one table.
 * `remote`: the far end hung up; `local`: we did; `no_answer`, `busy`, `transient` and `refused` end a leg that was never
 * answered (`refused`: for good, another attempt won't help); `transferred`: the far end talks to somebody else now;
 * `lost`: the carrier dropped the leg; `rejected`: we turned a call away. A caller who hangs up before we answer is `remote`.
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
 * What a carrier tells of a leg, in any order and as often as it likes. `at` is when it happened, in stack time.
 * Web calls have no leg that is known by an id. `ended` says all that is known of the leg, so that nothing is missed when it comes first.
 */
export type LegEvent = { legId: string | null; at: Date } & (
  | { type: 'ringing' }
  | { type: 'answered' }
  | { type: 'machine_detected' }
  | { type: 'dtmf'; digits: string }
  | { type: 'transfer_result'; ok: boolean }
  | { type: 'ended'; cause: EndCause; answeredAt: Date | null; machine: boolean }
);

export type LegListener = (event: LegEvent) => void;

export type OriginateRequest = {
  /** The call's id: what the carrier is asked by when its answer was lost. */
  reference: string;
  workspaceId: string;
  from: string;
  to: string;
};

/** Somebody calls a number of ours. The reference, chosen by the carrier, becomes the call's id. */
export type InboundRing = {
  reference: string;
  legId: string;
  from: string;
  to: string;
  at: Date;
  /** When the caller hung up, if that was before anybody took the call. */
  goneAt: Date | null;
  /** Whose number it was when it was called, where the carrier knows. */
  workspaceId: string | null;
};

/** True: the call is taken, and is not to be offered again. */
export type RingListener = (ring: InboundRing) => Promise<boolean>;

/** What a worker that takes a call over knows of its conversation. */
export type Progress = { humanTurns: number; lastSpeaker: 'user' | 'agent' | null };

export type TransferRequest = { reference: string; destination: string; type: 'cold' | 'warm' };

export type SmsRequest = {
  workspaceId: string;
  from: string;
  to: string;
  text: string;
  /** Credentials of the tool, where it has its own; else those of the number. */
  account: { accountSid: string; authToken: string } | null;
};

/** Signalling of a carrier; media is apart. Everything is idempotent by `reference` but `originate` and `sendSms`. */
export type Carrier = {
  name: string;
  capabilities: { machineDetection: boolean; transfer: boolean; sms: boolean; media: 'text' };
  /** Tells the listener of every event of the reference that this process hears of; returns the end of it. */
  watch(reference: string, listener: LegListener): () => void;
  /** Asks once for a leg. Rejects when the carrier's answer was lost: then it may or may not exist. */
  originate(request: OriginateRequest): Promise<{ legId: string }>;
  /**
   * Tells of calls that come in, each to one process at a time. One that the listener doesn't take (false, or it rejects)
   * is told again, here or elsewhere, for as long as it rings. Until the lifecycle stops.
   */
  receive(listener: RingListener, lifecycle: Lifecycle): void;
  /** Picks up a call that came in, unless its caller is gone: `answered` follows. */
  answer(reference: string): Promise<void>;
  /** Turns away a call that came in: `ended` with `rejected` follows. */
  reject(reference: string): Promise<void>;
  /**
   * Brings the reference's leg to this process, whatever another one had of it: its events so far are told again.
   * False: the carrier knows no such leg (yet).
   */
  attach(reference: string, progress: Progress): Promise<boolean>;
  /** This process lets go of the leg, which goes on without it. */
  detach(reference: string): void;
  hangup(reference: string): Promise<void>;
  /** The result comes as `transfer_result`, and after a cold transfer that worked `ended` with `transferred`. */
  transfer(request: TransferRequest): Promise<void>;
  /** `refused`: why the carrier wouldn't take it, for people. Rejects when it could not be asked. */
  sendSms(request: SmsRequest): Promise<{ messageId: string } | { refused: string }>;
  /** The two ends of the conversation as text; undefined when this process holds no such leg. */
  media(reference: string): TextPort | undefined;
  health(): Promise<boolean>;
};
