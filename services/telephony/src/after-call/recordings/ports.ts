import type { Readable } from 'node:stream';
import { AppError } from '@parley/kit/errors';
import type { Entry } from '../../sessions/ports.ts';

/** Speech on a recording. `atMs` counts from its beginning, when the call was answered. */
export type Cue = { speaker: 'user' | 'agent'; atMs: number; text: string };

export type RecordedCall = {
  callId: string;
  answeredAt: Date;
  endedAt: Date;
  record: readonly Entry[];
};

/** A WAV file of `length` bytes that is generated while it is read. */
export type Recording = { seconds: number; length: number; bytes: AsyncIterable<Uint8Array> };

/** Creates the recording of an ended call: the human on the left channel, the assistant on the right. */
export type Recorder = { record(call: RecordedCall, signal: AbortSignal): Recording };

/** Reads the cues embedded in a recording, by channel and in order; `audio`: there are none, speech has to be recognized. */
export type CueReader = { read(recordingKey: string): Promise<Cue[] | 'audio' | null> };

/** A stored recording: a local file, or remote content. */
export type StoredRecording =
  | { file: string }
  | {
      content: {
        size: number;
        etag: string;
        modifiedAt: Date;
        /** The end is included. */
        read(part: { start: number; end: number }): Promise<Readable>;
      };
    };

/** Concurrent requests of a transaction that removes recordings: a remote store may need 100 ms for each. */
export const MAX_STORE_REQUESTS = 10;

/** Stores recordings. Every method rejects with `RecordingStoreError` while the store is unreachable. */
export type RecordingStore = {
  /** Stores or replaces a recording atomically. An error of `bytes` is passed on as it is. */
  put(key: string, recording: Pick<Recording, 'length' | 'bytes'>, signal: AbortSignal): Promise<void>;
  /** Null: the recording doesn't exist. */
  open(key: string): Promise<StoredRecording | null>;
  /** Bytes from `start` on; null: the recording doesn't exist. */
  read(key: string, start: number, maxBytes: number): Promise<Buffer | null>;
  /** Removes a recording if it exists. */
  remove(key: string): Promise<void>;
  /** Removes all files of a call, also unfinished ones. */
  removeAll(callId: string): Promise<void>;
  /** Removes unfinished files of processes that died. */
  sweep(): Promise<void>;
};

/** Real seconds. */
const RETRY_AFTER_SECONDS = 10;

/** The store is unreachable or full: the recording is stored later. */
export class RecordingStoreError extends AppError {
  constructor(cause: unknown) {
    super('SERVICE_UNAVAILABLE', 'Recordings are not available right now, try again shortly', {
      cause,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
    this.name = 'RecordingStoreError';
  }
}
