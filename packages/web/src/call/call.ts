import type { CallError } from './call-error.ts';

/**
 * `connecting`: until both sides can hear each other; `active`; `reconnecting`: the connection was lost, for up to 20 seconds; `ended`.
 */
export type CallState = 'connecting' | 'active' | 'reconnecting' | 'ended';

/** What one side said. A later event with the same `seq` corrects it; without text the turn is taken back. */
export type Turn = { seq: number; role: 'user' | 'agent'; text: string };

/** A tool that the assistant uses. */
export type Tool = { id: string; name: string; status: 'running' | 'done' | 'failed' };

/** How loud both sides are, 0 to 1, about 20 times a second. */
export type Volume = { input: number; output: number };

/** `reason`: `disconnection_reason` of the call, or null if the server could not be asked. */
export type EndOfCall = { reason: string | null };

export type CallEvents = {
  state: CallState;
  transcript: Turn;
  tool: Tool;
  volume: Volume;
  /** The call cannot go on: an `end` follows. */
  error: CallError;
  end: EndOfCall;
};

/** A call of this page. */
export type Call = {
  readonly id: string;
  /** `text`: the assistant can't be heard here; it is written to. */
  readonly mode: 'audio' | 'text';
  readonly state: CallState;
  readonly muted: boolean;
  /** All turns so far, in their order. */
  readonly transcript: readonly Turn[];
  /** For `joinCall` after the page was loaded again, within 20 seconds. */
  readonly resume: { accessToken: string; participant: string; mode: 'audio' | 'text' };
  /** Returns the function that removes the listener. */
  on<Name extends keyof CallEvents>(name: Name, listener: (event: CallEvents[Name]) => void): () => void;
  mute(muted: boolean): void;
  /** Writes instead of speaking. Rejects with CallError. */
  sendText(text: string): Promise<void>;
  /** Presses keys: `0-9*#A-D`. */
  sendDigits(digits: string): void;
  setMicrophone(deviceId: string): Promise<void>;
  setSpeaker(deviceId: string): Promise<void>;
  /** Hangs up. */
  end(): Promise<void>;
};
