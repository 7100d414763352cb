import { msOf } from '../audio/frame.ts';
import { createResampler, type Resampler } from '../audio/resample.ts';
import { createSampleQueue } from '../audio/sample-queue.ts';
import { createDeferred } from '../deferred.ts';

/** The result of a playback. */
export type PlaybackResult = {
  /** Milliseconds that were sent to the far end. */
  playedMs: number;
  /** Stopped or flushed before its end was played. */
  interrupted: boolean;
};

/**
 * Audio to be played to the far end, such as one answer. Playbacks of a session are played one after the other in the order in which
 * they were opened. While an open playback has no audio, silence is sent and later playbacks wait.
 */
export type Playback = {
  /** Appends mono PCM of any length; it is resampled to the session's rate. Ignored after `end` and `stop`. */
  write(samples: Int16Array, sampleRate: number): void;
  /** Resolves when everything written so far has been played ('played') or discarded ('dropped'). */
  mark(): Promise<'played' | 'dropped'>;
  /** Ends the playback: no more audio follows. */
  end(): void;
  /** Discards what has not been played. Silence, or the next playback, follows at the next frame. */
  stop(): void;
  /** Milliseconds that were sent to the far end; the far end hears them later, after network and jitter buffer. */
  readonly playedMs: number;
  /** Milliseconds that are waiting to be sent. */
  readonly bufferedMs: number;
  /** Resolves when less than `belowMs` are waiting, or the playback is over: back-pressure for fast producers. */
  ready(belowMs?: number): Promise<void>;
  /** Resolves when it is over; never rejects. */
  readonly done: Promise<PlaybackResult>;
};

export type PlayoutQueue = {
  open(): Playback;
  /** Takes up to `samples` of audio; fewer if less is waiting. */
  pull(samples: number): Int16Array;
  /** Stops all playbacks. */
  flush(): void;
  /** Milliseconds that are waiting in all playbacks. */
  readonly bufferedMs: number;
};

const DEFAULT_READY_BELOW_MS = 1_000;

/** A queue of playbacks that the session empties at its own pace. */
export function createPlayoutQueue(sampleRate: number): PlayoutQueue {
  const entries: Entry[] = [];
  const remove = (entry: Entry): void => {
    const index = entries.indexOf(entry);
    if (index >= 0) entries.splice(index, 1);
  };

  return {
    open() {
      const entry = createEntry(sampleRate, () => remove(entry));
      entries.push(entry);
      return entry.playback;
    },
    pull(wanted) {
      const output = new Int16Array(wanted);
      let filled = 0;
      for (const entry of [...entries]) {
        if (filled === wanted) break;
        const taken = entry.take(wanted - filled);
        output.set(taken, filled);
        filled += taken.length;
        if (!entry.isOver()) break;
      }
      return output.subarray(0, filled);
    },
    flush() {
      for (const entry of [...entries]) entry.playback.stop();
    },
    get bufferedMs() {
      return entries.reduce((sum, { playback }) => sum + playback.bufferedMs, 0);
    },
  };
}

type Entry = { playback: Playback; take(samples: number): Int16Array; isOver(): boolean };

function createEntry(sampleRate: number, onOver: () => void): Entry {
  const queue = createSampleQueue();
  const marks: { at: number; resolve: (outcome: 'played' | 'dropped') => void }[] = [];
  const waiting: { belowMs: number; resolve: () => void }[] = [];
  let resampler: Resampler | undefined;
  let written = 0;
  let played = 0;
  let ended = false;
  let over = false;
  const { promise: done, resolve: resolveDone } = createDeferred<PlaybackResult>();
  const bufferedMs = (): number => msOf(queue.length, sampleRate);

  const finish = (interrupted: boolean): void => {
    over = true;
    onOver();
    queue.clear();
    for (const { at, resolve } of marks.splice(0)) resolve(at <= played ? 'played' : 'dropped');
    for (const { resolve } of waiting.splice(0)) resolve();
    resolveDone({ playedMs: msOf(played, sampleRate), interrupted });
  };
  const settle = (): void => {
    while (marks[0] && marks[0].at <= played) marks.shift()?.resolve('played');
    for (let i = waiting.length - 1; i >= 0; i -= 1) {
      if (bufferedMs() < (waiting[i]?.belowMs ?? 0)) waiting.splice(i, 1)[0]?.resolve();
    }
    if (ended && queue.length === 0 && !over) finish(false);
  };

  return {
    isOver: () => over,
    take(wanted) {
      const samples = queue.shift(wanted);
      played += samples.length;
      settle();
      return samples;
    },
    playback: {
      write(samples, rate) {
        if (ended || over) return;
        if (resampler?.fromRate !== rate) resampler = createResampler(rate, sampleRate);
        const converted = resampler.process(samples);
        written += converted.length;
        queue.push(converted);
      },
      mark() {
        if (over) return Promise.resolve(written <= played ? 'played' : 'dropped');
        if (written <= played) return Promise.resolve('played');
        return new Promise((resolve) => marks.push({ at: written, resolve }));
      },
      end() {
        ended = true;
        settle();
      },
      stop() {
        if (!over) finish(!(ended && queue.length === 0));
      },
      get playedMs() {
        return msOf(played, sampleRate);
      },
      get bufferedMs() {
        return bufferedMs();
      },
      ready(belowMs = DEFAULT_READY_BELOW_MS) {
        if (over || bufferedMs() < belowMs) return Promise.resolve();
        return new Promise((resolve) => waiting.push({ belowMs, resolve }));
      },
      done,
    },
  };
}
