import type { ToolOutcome } from '../tools/tool-outcome.ts';
import type { Call } from './call.ts';
import type { Transition } from './transition.ts';

/** Who writes: every write of a worker is held against its id and the call's fence. */
export type Owner = {
  workerId: string;
  /** Whether its lease can't have run out yet. */
  isLive(): boolean;
};

/** A state that replaces a call's, and what is to be told of it. */
export type Change = Pick<Transition, 'state' | 'news' | 'happenings'> & {
  /** The assistant wants no recording of its calls. */
  unrecorded?: boolean;
};

export type CallWrites = {
  /** One transaction: the row, its timeline and what is to be told. False: the call is not this worker's any more. */
  save(owner: Owner, call: Call, next: Change): Promise<boolean>;
  /**
   * Whether the call is this worker's: asked before the carrier is told to do something to it. Rejects while the
   * worker's lease has run out, since another one may be taking the call over.
   */
  holds(owner: Owner, call: Call): Promise<boolean>;
};

export type SpokenEntry = { role: 'user' | 'agent'; content: string };
export type ToolEntry = {
  role: 'tool';
  /** Of one that was begun (`ToolsUnderWay`): it is under way no longer when this is written. */
  toolCallId?: string;
  toolName: string;
  toolType: string;
  description: string | null;
  args: unknown;
  outcome: ToolOutcome;
};

/** One entry of a call's record, in its order. */
export type Entry = { seq: number; at: Date } & (SpokenEntry | ToolEntry);

/** A tool that was to be asked; what became of it nobody has written down. */
export type BegunTool = Required<Pick<ToolEntry, 'toolCallId'>> &
  Pick<ToolEntry, 'toolName' | 'toolType' | 'description' | 'args'>;

/** What would be lost with a worker: that somebody else was asked to do something. */
export type ToolsUnderWay = {
  /** Committed before anybody is asked. False: the call is not this worker's any more. */
  begin(owner: Owner, call: Call, tool: BegunTool): Promise<boolean>;
};

export type TurnWriter = {
  /** Written as soon as the database takes it, in order; never rejects. */
  append(call: Call, entry: Entry): void;
  /** Resolves when everything of the call is written. False: the call is not this worker's any more. */
  drained(call: Call): Promise<boolean>;
  /** Nothing more comes of this call, as long as its fence is this one. */
  forget(call: Call): void;
};
