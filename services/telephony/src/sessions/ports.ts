import type { Call } from './call.ts';
import type { ToolOutcome } from './tools/tool-outcome.ts';
import type { Transition } from './transition.ts';

/** The worker that writes: each write checks its id and the call's fence. */
export type Owner = {
  workerId: string;
  /** Whether its lease cannot have expired yet. */
  isLive(): boolean;
};

/** The next state of a call, with its timeline entries and the events to publish. */
export type Change = Pick<Transition, 'state' | 'events' | 'timeline'> & {
  /** The assistant disables recordings. */
  unrecorded?: boolean;
};

export type CallWrites = {
  /** Saves row, timeline and messages in one transaction. False: another worker holds the call. */
  save(owner: Owner, call: Call, next: Change): Promise<boolean>;
  /**
   * Whether this worker holds the call; checked before each command to the carrier. Rejects while the worker's lease is
   * expired, since another one may be taking the call over.
   */
  holds(owner: Owner, call: Call): Promise<boolean>;
};

/** Milliseconds from the end of the human's speech. */
export type TurnLatency = { endOfTurnMs: number; firstTokenMs: number; firstAudioMs: number };

/** The final content of a turn; in spoken calls, also its latency and whether the human interrupted it [calls.21]. */
export type SpokenTurn = { content: string; latency?: TurnLatency; isInterrupted?: boolean };

export type SpokenEntry = { role: 'user' | 'agent' } & SpokenTurn;
export type ToolEntry = {
  role: 'tool';
  /** The id in `ToolsUnderWay` of the tool that this entry completes. */
  toolCallId?: string;
  toolName: string;
  toolType: string;
  description: string | null;
  args: unknown;
  outcome: ToolOutcome;
};

/** An entry of a call's record. */
export type Entry = { seq: number; at: Date } & (SpokenEntry | ToolEntry);

/** A tool whose outcome is not recorded. */
export type BegunTool = Required<Pick<ToolEntry, 'toolCallId'>> &
  Pick<ToolEntry, 'toolName' | 'toolType' | 'description' | 'args'>;

/** Tools that are running: a worker that takes the call over must not repeat them. */
export type ToolsUnderWay = {
  /** Commits the use before the request is sent. False: another worker holds the call. */
  begin(owner: Owner, call: Call, tool: BegunTool): Promise<boolean>;
};

export type TurnWriter = {
  /** Writes in order, as soon as the database is available; never rejects. */
  append(call: Call, entry: Entry): void;
  /** Changes the content of a turn that was appended; empty: removes it. */
  correct(call: Call, turn: SpokenTurn & { seq: number }): void;
  /** Resolves when all entries of the call are written. False: another worker holds the call. */
  drained(call: Call): Promise<boolean>;
  /** No more entries of the call follow with this fence. */
  forget(call: Call): void;
};
