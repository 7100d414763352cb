import type { Sql } from '@parley/kit/db';
import type { Call } from '../calls/call.ts';
import type { Change } from '../calls/ports.ts';
import type { UnstartedCall } from '../placing/unstarted-record.ts';
import type { CallAccess } from './access-token.ts';

/** A web call that waits to be joined. */
export type NewWebCall = UnstartedCall & { rateCents: number };

/** The line of a call that was joined. */
export type WebLine = {
  callId: string;
  joinedAt: Date;
  answeredAt: Date | null;
  endedAt: Date | null;
  endedCause: string | null;
};

export type WebCalls = {
  /** Makes those who add calls to the workspace wait, and counts its calls that are not completed (D1.6). */
  countExactly(tx: Sql, workspaceId: string): Promise<number>;
  insert(tx: Sql, call: NewWebCall): Promise<void>;
  /** Holds the call until the transaction ends. */
  lock(tx: Sql, workspaceId: string, callId: string): Promise<Call | undefined>;
  /** Web calls that were created by then and wait, held; joined or not. */
  lockWaiting(tx: Sql, createdBefore: Date, most: number): Promise<Call[]>;
  /** Which of them somebody has joined. */
  joined(tx: Sql, callIds: readonly string[]): Promise<Set<string>>;
  end(tx: Sql, calls: readonly { call: Call; change: Change }[], now: Date): Promise<void>;
  /** Makes calls that were joined and that nobody carries this worker's own, as ringing. */
  takeJoined(workerId: string, now: Date, most: number): Promise<Call[]>;
};

export type WebLines = {
  find(callId: string): Promise<WebLine | undefined>;
  /** Somebody is there; may be repeated. */
  open(tx: Sql, callId: string, at: Date): Promise<void>;
  /** The assistant is there; once. */
  answer(callId: string, at: Date): Promise<void>;
  /** Once: the first one counts. */
  end(callId: string, cause: string, at: Date): Promise<void>;
  /** Adds what the human wrote; false: too much waits to be heard already, or nobody hears it any more. */
  write(tx: Sql, access: CallAccess, content: string, at: Date): Promise<boolean>;
  /** What is new on lines: their ends, and messages from a place on. */
  news(asked: ReadonlyMap<string, number>): Promise<WebNews[]>;
};

export type WebNews = { line: WebLine; messages: { seq: number; content: string }[] };
