import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Log } from '@parley/kit/log';
import type { MediaSession } from '@parley/media';
import { FRAME_BYTES, HEAD_BYTES, wavEnds } from '../../carriers/simulator/recording/wav-file.ts';
import type { Cue, Recording } from './ports.ts';
import { isAbandoned, LIVE_FOLDER } from './recording-files.store.ts';

/** Recordings of calls with audio, made while they run [calls.19]. */
export type LiveRecordings = {
  /**
   * Records the session until the returned function has resolved. Continues the recording of another worker, with silence in
   * between. Never rejects: a call goes on without a recording.
   */
  start(callId: string, session: MediaSession, startedAtMs: number): Promise<() => Promise<void>>;
  /** The recording of a call that is over, completed if its worker died; null: it has none. */
  find(callId: string, cues: readonly Cue[]): Promise<Recording | null>;
  remove(callId: string): Promise<void>;
  /** Removes what dead workers have left of calls that `findUnfinished` does not return. */
  sweep(findUnfinished: (callIds: readonly string[]) => Promise<ReadonlySet<string>>): Promise<void>;
};

const CALL_FILE = /^([0-9a-f-]{36})\.wav$/;

type Options = { folder: string; maxSeconds: number; log: Log };

/** One file per live call, in the folder that all workers share. */
export function createLiveRecordings({ folder, maxSeconds, log }: Options): LiveRecordings {
  const live = join(resolve(folder), LIVE_FOLDER);
  const pathOf = (callId: string): string => join(live, `${callId}.wav`);
  return {
    start: async (callId, session, startedAtMs) => {
      const onError = (err: unknown): void =>
        log.error({ err, callId }, 'the recording of a live call failed');
      try {
        const { createRecorder, recordSession } = await import('@parley/media');
        await mkdir(live, { recursive: true, mode: 0o700 });
        const recorder = await createRecorder({
          path: pathOf(callId),
          sampleRate: session.sampleRate,
          startedAtMs,
          maxDurationMs: maxSeconds * 1_000,
          onError,
        });
        const stop = recordSession(recorder, session);
        return async () => {
          stop();
          await recorder.close().catch(onError);
        };
      } catch (err) {
        onError(err);
        return async () => {};
      }
    },
    find: async (callId, cues) => {
      const path = pathOf(callId);
      if (!(await stat(path).catch(() => null))) return null;
      const { mendRecording } = await import('@parley/media');
      const { sampleRate, durationMs } = await mendRecording(path);
      const frames = Math.round((durationMs * sampleRate) / 1_000);
      return { seconds: Math.ceil(durationMs / 1_000), bytes: withCues(path, { frames, sampleRate }, cues) };
    },
    remove: (callId) => rm(pathOf(callId), { force: true }),
    sweep: async (findUnfinished) => {
      const names = await readdir(live).catch(() => []);
      const callIds = names.flatMap((name) => CALL_FILE.exec(name)?.slice(1, 2) ?? []);
      const old: string[] = [];
      for (const id of callIds) if (await isAbandoned(pathOf(id))) old.push(id);
      if (old.length === 0) return;
      const unfinished = await findUnfinished(old);
      for (const id of old) if (!unfinished.has(id)) await rm(pathOf(id), { force: true });
    },
  };
}

/** The file, with what was said behind its samples, as in other recordings. */
async function* withCues(
  path: string,
  { frames, sampleRate }: { frames: number; sampleRate: number },
  cues: readonly Cue[],
): AsyncGenerator<Uint8Array> {
  const { head, tail } = wavEnds(frames, cues, sampleRate);
  yield head;
  if (frames > 0)
    yield* createReadStream(path, { start: HEAD_BYTES, end: HEAD_BYTES + frames * FRAME_BYTES - 1 });
  yield tail;
}
