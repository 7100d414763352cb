import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import type { PreparedAssistant } from '../assistants/prepare-prompt.ts';
import type { NumberConnection } from '../carriers/call-control.ts';
import type { Carrier } from '../carriers/carrier.ts';
import type { Departure } from '../dialer/dialer.ts';
import type { UndoneAs } from '../dialer/undo-dials.store.ts';
import type { FindEngine } from '../engines/engine.ts';
import type { Apologize } from './apology.ts';
import type { Call, StopCause } from './call.ts';
import type { PortDeps } from './conversation-port.ts';
import type { SelectedAssistant } from './event-queue.ts';
import type { RejectionCause } from './judge-end.ts';
import type { BegunTool, CallWrites, Entry, Owner, ToolsUnderWay, TurnWriter } from './ports.ts';
import type { SessionLife } from './session-life.ts';
import type { ToolRunner } from './tools/run-tool.ts';

/** Whether an inbound call is answered, and by which assistant. */
export type Decision =
  | { type: 'reject'; cause: RejectionCause }
  | { type: 'answer'; selected: SelectedAssistant; assistant: PreparedAssistant };

export type SpeakAhead = (
  assistant: PreparedAssistant,
  call: Pick<Call, 'id' | 'workspaceId'>,
  signal: AbortSignal,
) => void;

export type SessionDeps = PortDeps & {
  carrier: Carrier;
  /** How the number that dials is connected. */
  openConnection: (call: Call) => Promise<NumberConnection>;
  clock: Clock;
  log: Log;
  owner: Owner;
  writes: CallWrites;
  /** Undoes a call that the carrier never received [campaigns.11]. False: another worker holds the call. */
  undoDial: (call: Call, as: UndoneAs) => Promise<boolean>;
  turns: TurnWriter;
  toolsUnderWay: ToolsUnderWay;
  findEngine: FindEngine;
  /** Synthesizes the greeting of an assistant that is about to answer. */
  speakAhead?: SpeakAhead | undefined;
  apologize?: Apologize | undefined;
  runTool: ToolRunner;
  /** Selects the assistant of a ringing call, and commits it. Undefined: the session is over, or the call was lost. */
  decide: (call: Call, life: SessionLife) => Promise<Decision | undefined>;
};

export type SessionOptions = {
  call: Call;
  /** Null while the assistant is being selected, and if it cannot be found. */
  assistant: PreparedAssistant | null;
  record: Entry[];
  /** Tools that a dead worker had begun: they are not repeated, and the assistant is informed. */
  interrupted?: readonly BegunTool[];
  onOver: (outcome: Outcome) => void;
};

/** Why a session is over. `lost`: another worker holds the call; `undone`: its dial never left. */
export type Outcome = 'ended' | 'lost' | 'undone';

/** A live call in this process. */
export type CallSession = {
  /** Dials at the carrier, once, in the slot of the dial. */
  dial(departure: Departure): void;
  /** A call that rings: selects its assistant, then answers or rejects it. */
  answer(): void;
  /** Continues a call of another worker. */
  resume(): void;
  /** Hangs up by request; may be repeated. */
  stop(cause: StopCause): void;
  /** Pauses its recording, or ends the pause; may be repeated. */
  pauseRecording(isPaused: boolean): void;
  /** Ends a call that cannot continue here with `error`. */
  endWithError(why: string): void;
  /**
   * Releases the call, which continues without this worker. Resolves when nothing of it runs here. Running tools get this
   * many real milliseconds to finish: another worker cannot take them over.
   */
  release(waitMs: number): Promise<void>;
};
