import type { UnstartedCall } from '../calls/call-record.ts';
import type { Tx } from '../prisma.ts';
import type { Call } from '../sessions/call.ts';
import type { Change } from '../sessions/ports.ts';
import type { CallAccess } from './access-token.ts';

/** An unjoined web call. */
export type NewWebCall = UnstartedCall & {
  rateCents: number;
  /** Set if a public key created the call. */
  byPublicKey: { keyId: string; maxDurationSeconds: number | null } | null;
};

/** Live calls of a workspace: all, those of public keys, and those of one public key. */
export type LiveCounts = { live: number; ofPublicKeys: number; ofKey: number };

/** The line of a call that was joined. */
export type WebLine = {
  callId: string;
  joinedAt: Date;
  answeredAt: Date | null;
  endedAt: Date | null;
  endedCause: string | null;
  media: WebMedia;
  /** The browser that joined a spoken call. */
  participant: string | null;
  /** The latest offer of the visitor's browser, while it is not answered. */
  offer: unknown;
  offerSeq: number;
};

/** How a call was joined. */
export type WebMedia = 'text' | 'audio';

/** The answer to an offer. */
export type OfferReply = { sdp: string };

/** The URL of the worker of a spoken call. */
export type WorkerPlace = { url: string | null };

export type WebCalls = {
  /** Counts the live calls of the workspace; other inserts wait until the transaction ends [general.19] [trust.8]. */
  countExactly(tx: Tx, workspaceId: string, publicKeyId: string | null): Promise<LiveCounts>;
  insert(tx: Tx, call: NewWebCall): Promise<void>;
  /** Locks the call until the transaction ends. */
  lock(tx: Tx, workspaceId: string, callId: string): Promise<Call | undefined>;
  /** Whether a web call that was created until then waits, joined or not. */
  isAnyWaiting(createdBefore: Date): Promise<boolean>;
  /** Locks waiting web calls that were created until then, joined or not. */
  lockWaiting(tx: Tx, createdBefore: Date, max: number): Promise<Call[]>;
  /** The calls among them that were joined. */
  joined(tx: Tx, callIds: readonly string[]): Promise<Set<string>>;
  /** Whether there are calls for `lockUntaken`. */
  isAnyUntaken(joinedBefore: Date): Promise<boolean>;
  /** Locks calls without a worker whose visitor has left, or who joined by audio until then. `leftAt`: when the visitor left. */
  lockUntaken(
    tx: Tx,
    joinedBefore: Date,
    max: number,
  ): Promise<{ call: Call; leftAt: Date | null; leftCause: string | null }[]>;
  end(tx: Tx, calls: readonly { call: Call; change: Change }[], now: Date): Promise<void>;
  /**
   * Takes joined calls that no worker holds, up to `max` of each kind: their assistants are selected next. Those of the workspace with the
   * fewest calls of this worker come first, so that one workspace fills a worker only while no other waits [trust.1].
   */
  takeJoined(
    workerId: string,
    now: Date,
    max: Readonly<Record<WebMedia, number>>,
  ): Promise<{ call: Call; media: WebMedia }[]>;
};

export type WebLines = {
  find(callId: string): Promise<WebLine | undefined>;
  /** The visitor has joined by text; may be repeated. */
  open(tx: Tx, callId: string, at: Date): Promise<void>;
  /** The visitor has joined by audio; may be repeated. */
  openAudio(tx: Tx, callId: string, participant: string, at: Date): Promise<void>;
  /** Stores an offer, replacing the previous one. Undefined: the line is not this participant's, has no audio, or is over. */
  offer(tx: Tx, callId: string, participant: string, offer: unknown): Promise<number | undefined>;
  /** The reply to an offer; null: there is none yet. Undefined: there is a later offer, or the line is over. */
  findReply(callId: string, seq: number): Promise<OfferReply | null | undefined>;
  /** Replies to an offer, unless there is a later one. */
  answerOffer(callId: string, seq: number, reply: OfferReply): Promise<void>;
  /** The live worker of a spoken call of this participant. Undefined: there is none. */
  findWorker(callId: string, participant: string): Promise<WorkerPlace | undefined>;
  /** Whether a worker carries spoken web calls. */
  hasAudio(): Promise<boolean>;
  /** The assistant has answered; the first answer counts. */
  answer(callId: string, at: Date): Promise<void>;
  /** The first end counts. `tx`: ends with the transaction. */
  end(callId: string, cause: string, at: Date, tx?: Tx): Promise<void>;
  /**
   * Adds a message of the visitor. `over`: the call has ended. `unheard`: too many messages wait for the assistant. `full`: the
   * maximum text of a call of a public key.
   */
  write(
    tx: Tx,
    access: CallAccess,
    content: string,
    at: Date,
  ): Promise<'written' | 'over' | 'unheard' | 'full'>;
  /** Ends of lines, and messages from a position on. */
  updates(positions: ReadonlyMap<string, number>): Promise<WebLineUpdate[]>;
};

export type WebLineUpdate = { line: WebLine; messages: { seq: number; content: string }[] };
