import type { Entry } from '../../sessions/ports.ts';

/** Speech on a recording. `atMs` counts from its beginning, when the call was answered. */
export type Cue = { speaker: 'user' | 'agent'; atMs: number; text: string };

export type RecordedCall = {
  callId: string;
  answeredAt: Date;
  endedAt: Date;
  record: readonly Entry[];
};

/** A WAV file that is generated while it is read. */
export type Recording = { seconds: number; bytes: AsyncIterable<Uint8Array> };

/** Creates the recording of an ended call: the human on the left channel, the assistant on the right. */
export type Recorder = { record(call: RecordedCall, signal: AbortSignal): Recording };

/** Transcribes a recording by channel, in order; null: the recording doesn't exist. */
export type Transcriber = { transcribe(recordingKey: string): Promise<Cue[] | null> };

export type RecordingStore = {
  /** Stores or replaces a recording atomically. Returns its length in bytes. */
  put(key: string, bytes: AsyncIterable<Uint8Array>): Promise<number>;
  /** Bytes from `start` on; null: the recording doesn't exist. */
  read(key: string, start: number, maxBytes: number): Promise<Buffer | null>;
  /** Its path on disk; null: the recording doesn't exist. */
  fileOf(key: string): Promise<string | null>;
  /** Removes a recording if it exists, and what was recorded of a live call under this key. */
  remove(key: string): Promise<void>;
  /** Removes unfinished files of processes that died. */
  sweep(): Promise<void>;
};
