import type { Sql } from '@parley/kit/db';
import type { Call } from '../calls/call.ts';
import type { Entry } from '../calls/ports.ts';

/** Something that is heard on a recording. `atMs` counts from its beginning, which is the answer of the call. */
export type Cue = { speaker: 'user' | 'agent'; atMs: number; text: string };

export type RecordedCall = {
  callId: string;
  answeredAt: Date;
  endedAt: Date;
  record: readonly Entry[];
};

/** A WAV file as it comes into being, at a pace of whoever takes it. */
export type Recording = { seconds: number; bytes: AsyncIterable<Uint8Array> };

/** Gives the recording of a call that is over: two channels, left the human, right the assistant. */
export type Recorder = { record(call: RecordedCall, signal: AbortSignal): Recording };

/** Hears what is said on a recording, by channel, in order; null: there is no such recording. */
export type Transcriber = { transcribe(recordingKey: string): Promise<Cue[] | null> };

export type RecordingStore = {
  /** Stores the whole or nothing; storing it again replaces it. Returns its length in bytes. */
  put(key: string, bytes: AsyncIterable<Uint8Array>): Promise<number>;
  /** The bytes from `start` on, at most so many; null: there is no such recording. */
  read(key: string, start: number, most: number): Promise<Buffer | null>;
  /** Where this process finds it on disk; null: there is no such recording. */
  fileOf(key: string): Promise<string | null>;
  /** It is gone afterwards, whether it was there or not. */
  remove(key: string): Promise<void>;
  /** Removes what a process left behind that died while it stored something. */
  sweep(): Promise<void>;
};

/** A recording that is to be made, and which this worker has claimed for a while. */
export type DueRecording = {
  call: Call;
  /** How often it was claimed, this time included: a later claim voids this one. */
  attempts: number;
};

/** Recordings of calls that ended long ago. */
export type OldRecordings = {
  /** Those of calls that ended before, oldest first, held until the transaction ends; not what another one holds. */
  hold(tx: Sql, before: Date, most: number): Promise<{ callId: string; key: string }[]>;
  /** The calls have no recording any more. */
  forget(tx: Sql, callIds: readonly string[], now: Date): Promise<void>;
};

export type StoredRecording = { key: string; sid: string; seconds: number; bytes: number };

export type RecordingQueue = {
  claim(now: Date, most: number): Promise<DueRecording[]>;
  /** The call has its recording, or none (null), and its analysis is due. Nothing if somebody else has claimed it. */
  finish(due: DueRecording, stored: StoredRecording | null, now: Date): Promise<void>;
  /** Tries again at `at`. */
  postpone(due: DueRecording, at: Date): Promise<void>;
};
