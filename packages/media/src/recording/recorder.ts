import { constants, type FileHandle, open } from 'node:fs/promises';
import { endianness } from 'node:os';
import { type AudioFrame, samplesIn } from '../audio/frame.ts';
import { createResampler, type Resampler } from '../audio/resample.ts';
import type { MediaSession, Unsubscribe } from '../session/media-session.ts';
import { HEADER_BYTES, repairRecording, wavHeader } from './wav.ts';

// Both channels share one time line: the time of a frame determines its position. A channel whose frames follow each other within the
// tolerance is appended seamlessly, so that jitter of the times causes no clicks; beyond the tolerance its position is corrected.

const CHANNELS = 2;
const IS_BIG_ENDIAN = endianness() === 'BE';
const FRAME_BYTES = 4;
const TOLERANCE_MS = 20;
/** Received audio is at most this late (the jitter buffer), so older positions are final. */
const SETTLE_MS = 400;
/** A crash loses unwritten audio: at most this much and `SETTLE_MS`. */
const WRITE_EVERY_MS = 400;
const WINDOW_MS = 2_000;
const MAX_PENDING_BYTES = 4 * 1_024 * 1_024;

export type RecorderOptions = {
  path: string;
  sampleRate: number;
  /** Time of the recording's first sample, by the clock of the frames. A continued recording must get the original time. */
  startedAtMs: number;
  /** Audio after this time, counted from `startedAtMs`, is not recorded. */
  maxDurationMs?: number;
  /** Start of this file in milliseconds since `startedAtMs`, if another file contains the audio before; 0 by default. */
  fromMs?: number;
  /** Called once if the file can't be written; the recording ends there. */
  onError: (error: unknown) => void;
};

/** Two channels of a call: left the human, right the assistant. */
export type Recorder = {
  left(frame: AudioFrame): void;
  right(frame: AudioFrame): void;
  /** Paused, both channels are silence: frames still extend the recording, and keep what follows in its place. */
  pause(on: boolean): void;
  /** Writes the remaining audio, completes the header and closes the file. */
  close(): Promise<{ durationMs: number }>;
};

/**
 * Records to a WAV file that grows during the call. An existing file is repaired and continued, with silence for the time in
 * between. Rejects if it can't be opened, or isn't a recording of this rate.
 */
export async function createRecorder(options: RecorderOptions): Promise<Recorder> {
  const { sampleRate, startedAtMs, maxDurationMs = Number.POSITIVE_INFINITY, fromMs = 0, onError } = options;
  const { file, frames } = await openRecording(options.path, sampleRate);
  const samples = (ms: number): number => samplesIn(ms, sampleRate);
  /** Position of the file's first sample. */
  const first = samples(fromMs);
  const maxPosition = maxDurationMs === Number.POSITIVE_INFINITY ? maxDurationMs : samples(maxDurationMs);
  const window = new Int16Array(samples(WINDOW_MS) * CHANNELS);
  const cursors: [number | undefined, number | undefined] = [undefined, undefined];
  const resamplers: (Resampler | undefined)[] = [undefined, undefined];
  /** Position of the first sample of `window`: everything before it is written or being written. */
  let base = first + frames;
  let end = base;
  let pending = 0;
  let writes: Promise<unknown> = Promise.resolve();
  let failed = false;
  let paused = false;
  let closing: Promise<{ durationMs: number }> | undefined;

  const fail = (error: unknown): void => {
    if (failed) return;
    failed = true;
    onError(error);
  };
  const write = (bytes: Buffer, offset: number): void => {
    if (failed) return;
    if (pending > MAX_PENDING_BYTES) {
      fail(new Error('The disk is too slow for the recording'));
      return;
    }
    pending += bytes.length;
    writes = writes
      .then(() => (failed ? undefined : file.write(bytes, 0, bytes.length, offset)))
      .catch(fail)
      .finally(() => {
        pending -= bytes.length;
      });
  };
  /** Writes everything before `position` and moves the window there. A gap after the last frame becomes a hole in the file, which reads as silence. */
  const writeUpTo = (position: number): void => {
    while (base < position && !failed) {
      if (base >= end) {
        base = position;
        return;
      }
      const count = Math.min(position - base, window.length / CHANNELS);
      const values = count * CHANNELS;
      const bytes = Buffer.from(window.slice(0, values).buffer);
      if (IS_BIG_ENDIAN) bytes.swap16();
      write(bytes, HEADER_BYTES + (base - first) * FRAME_BYTES);
      window.copyWithin(0, values);
      window.fill(0, window.length - values);
      base += count;
    }
  };
  const place = (channel: 0 | 1, audio: Int16Array, start: number): void => {
    const stop = Math.min(start + audio.length, maxPosition);
    if (stop > base + window.length / CHANNELS) writeUpTo(stop - window.length / CHANNELS);
    for (let at = Math.max(start, base); at < stop; at += 1) {
      window[(at - base) * CHANNELS + channel] = audio[at - start] ?? 0;
    }
    end = Math.max(end, stop);
    const settled = end - samples(SETTLE_MS);
    if (settled - base >= samples(WRITE_EVERY_MS)) writeUpTo(settled);
  };
  const record = (channel: 0 | 1, frame: AudioFrame): void => {
    if (closing || failed) return;
    if (resamplers[channel]?.fromRate !== frame.sampleRate) {
      resamplers[channel] = createResampler(frame.sampleRate, sampleRate);
    }
    // Resampled as well: what follows the pause must not contain samples from before it.
    const heard = paused ? new Int16Array(frame.samples.length) : frame.samples;
    const audio = resamplers[channel]?.process(heard) ?? heard;
    const due = samples(frame.atMs - startedAtMs);
    const cursor = cursors[channel];
    const follows = cursor !== undefined && Math.abs(due - cursor) <= samples(TOLERANCE_MS);
    const start = follows ? cursor : due;
    cursors[channel] = start + audio.length;
    place(channel, audio, start);
  };
  const finish = async (): Promise<{ durationMs: number }> => {
    writeUpTo(end);
    await writes;
    const length = Math.max(0, base - first);
    try {
      const header = wavHeader({ sampleRate, channels: CHANNELS }, length * FRAME_BYTES);
      if (!failed) await file.write(header, 0, HEADER_BYTES, 0);
    } catch (error) {
      fail(error);
    } finally {
      await file.close();
    }
    return { durationMs: (length * 1_000) / sampleRate };
  };

  return {
    left: (frame) => record(0, frame),
    right: (frame) => record(1, frame),
    pause: (on) => {
      paused = on;
    },
    close() {
      closing ??= finish();
      return closing;
    },
  };
}

/** Records a session: the far end is the human. Returns a function that stops listening; the recorder remains open. */
export function recordSession(recorder: Recorder, session: MediaSession): Unsubscribe {
  const ends = [session.onFrame(recorder.left), session.onSent(recorder.right)];
  return () => {
    for (const end of ends) end();
  };
}

async function openRecording(
  path: string,
  sampleRate: number,
): Promise<{ file: FileHandle; frames: number }> {
  const fresh = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return undefined;
      throw error;
    },
  );
  if (fresh) {
    await fresh.write(wavHeader({ sampleRate, channels: CHANNELS }), 0, HEADER_BYTES, 0);
    return { file: fresh, frames: 0 };
  }
  const format = await repairRecording(path);
  if (format.sampleRate !== sampleRate || format.channels !== CHANNELS) {
    throw new Error(`The recording has ${format.channels} channels of ${format.sampleRate} samples a second`);
  }
  const file = await open(path, 'r+');
  await file.write(wavHeader(format), 0, HEADER_BYTES, 0);
  return { file, frames: Math.round((format.durationMs * sampleRate) / 1_000) };
}
