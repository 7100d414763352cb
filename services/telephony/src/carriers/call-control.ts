import type { Lifecycle } from '@parley/kit/lifecycle';
import type { MediaSession } from '@parley/media';
import type { CallUpdate } from './call-update.ts';

/**
 * How a leg ended. Each carrier maps its own causes to these in one table.
 * `remote`: the far end hung up, also before we answered; `local`: we hung up; `no_answer`, `busy`, `transient` and
 * `refused`: never answered (`refused` is permanent: a retry will not help); `transferred`: the far end was connected
 * to a third party; `lost`: the carrier dropped the leg; `rejected`: we declined an inbound call; `no_carrier`: no carrier is
 * configured that could have dialed; `no_route`: the trunk can't be reached as it or the carrier is configured, nothing was sent.
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
  | 'rejected'
  | 'no_carrier'
  | 'no_route';

/** How the carrier described an end, such as SIP's 486 and "Busy Here". */
export type ProviderCause = { code: string | null; text: string | null };

/**
 * An event of a leg. Events may arrive in any order and repeatedly. `at` is when it happened, in platform time; `legId` is
 * null for web calls. `ended` contains everything known about the leg, so nothing is lost if it arrives first.
 */
export type LegEvent = { legId: string | null; at: Date } & (
  | { type: 'ringing' }
  /** The carrier connects the call and may send audio before the answer, such as a ringing tone. */
  | { type: 'progress' }
  | { type: 'answered' }
  /** The media of the leg is available; before or after `answered`. */
  | { type: 'media' }
  | { type: 'machine_detected' }
  /** Keys that the human pressed: `0-9*#A-D`. */
  | { type: 'dtmf'; digits: string }
  /** The human wrote instead of speaking. */
  | { type: 'text'; text: string }
  | { type: 'transfer_result'; transferId: string; ok: boolean }
  /** The human is gone; `ended` follows when the legs that belong to the call are over too. */
  | { type: 'ending' }
  | { type: 'ended'; cause: EndCause; answeredAt: Date | null; machine: boolean; provider?: ProviderCause }
);

export type LegListener = (event: LegEvent) => void;

/** How a number is connected [numbers.2] [numbers.3]. Never logged. */
export type NumberConnection =
  | {
      provider: 'hosted_sip';
      terminationUri: string;
      transport: 'udp' | 'tcp' | 'tls';
      credentials: { username: string; password: string } | null;
    }
  | { provider: 'telco'; accountSid: string; authToken: string };

export type OriginateRequest = {
  /** The call's id: identifies the leg at the carrier, also when the response to `originate` was lost. */
  reference: string;
  workspaceId: string;
  /** The caller id: the number that dials. */
  from: string;
  to: string;
  /** Maximum ring time, which the session enforces too. Platform time. */
  ringTimeoutMs: number;
  /** Whether the assistant wants to know if a machine answers. */
  detectsMachine: boolean;
  /** Reads and decrypts how the number is connected. Adapters call it when the request leaves, and do not keep the result. */
  openConnection(): Promise<NumberConnection>;
  /** Called right before the request leaves. True: its slot is over, and it must not leave. */
  isTooLate(): boolean;
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

/** What a worker knows about a leg that it takes over. */
export type LegSoFar = {
  /** The conversation, for carriers of text. */
  humanTurns: number;
  lastSpeaker: 'user' | 'agent' | null;
  /** The state that the adapter stored last, as JSON that only the adapter reads; null: none. */
  state: unknown;
};

export type TransferRequest = {
  reference: string;
  /** Its result carries the same id, since it may arrive after a later transfer was requested. */
  transferId: string;
  destination: string;
  type: 'cold' | 'warm';
  /**
   * For warm transfers: announces the caller to the target, and resolves with whether it takes the call. Otherwise the target is connected
   * when it answers.
   */
  consult?: (target: ConsultLine, signal: AbortSignal) => Promise<boolean>;
};

/** The line to the target of a warm transfer, before the caller is connected. */
export type ConsultLine = {
  session: MediaSession;
  /** Keys that the target presses, with its audio or by signalling. */
  onKey(listener: (key: string) => void): void;
};

/**
 * Signalling of a carrier. All operations are idempotent by `reference`, except `originate` and `sendDigits`, and have no effect on a leg that
 * does not exist. `tests/contracts/carrier-contract.ts` is the test of every adapter.
 */
export type CallControl = {
  readonly capabilities: {
    transfer: boolean;
    /** What its legs carry; audio needs more capacity of a worker. */
    media: 'text' | 'audio';
    /** Whether another worker can continue a leg whose worker died; `none`: the call ends. */
    takeover: 'reattach' | 'none';
    /** The carrier itself ends a leg whose audio is missing or stops. */
    endsSilentLegs?: boolean;
  };
  /** Subscribes to the events of a reference that this process receives. Returns the unsubscribe function. */
  watch(reference: string, listener: LegListener): () => void;
  /**
   * Performs slow steps ahead of a dial, such as connecting; sends no request. `originate` follows in its slot, or never. May be
   * repeated. False: nothing can be sent, and `originate` reports why. Rejects, a few times at most for a reference, if it may succeed
   * for a later slot.
   */
  prepare?(request: OriginateRequest): Promise<boolean>;
  /**
   * Requests a leg once. `isSent` false: it was too late or could not leave, and there is no leg. Rejects if the carrier's response was
   * lost: the leg may or may not exist. A carrier that cannot dial emits `ended` with `no_carrier`.
   */
  originate(request: OriginateRequest): Promise<{ legId: string; isSent: boolean }>;
  /**
   * Delivers inbound calls, each to one process at a time, until the lifecycle stops; once in a process. If the listener returns
   * false or rejects, the call is offered again to any process while it rings; if it rejects, also after the caller has hung up.
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
  attach(reference: string, soFar: LegSoFar): Promise<boolean>;
  /** Resolves when another process could continue the leg: some carriers can't move one that rings. */
  settled?(reference: string): Promise<void>;
  /** Releases the leg, which continues without this process. */
  detach(reference: string): void;
  /** Ends the leg, also one that no process is attached to. */
  hangup(reference: string): Promise<void>;
  /**
   * Emits `transfer_result`, and `ended` with `transferred` after a successful cold transfer. Rejects if the carrier can't, or the leg
   * is not here.
   */
  transfer(request: TransferRequest): Promise<void>;
  /**
   * Presses keys (`0-9*#A-D`) for the far end, one after the other. Rejects other characters, and if the carrier can't, or the leg is
   * not here or has no media yet.
   */
  sendDigits(reference: string, digits: string): Promise<void>;
  /** Shows the human what happens in the call. Phone carriers cannot. */
  show?(reference: string, update: CallUpdate): void;
};
