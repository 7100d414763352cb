import { FRAME_MS, msOf, samplesIn } from '../audio/frame.ts';
import { createResampler, type Resampler } from '../audio/resample.ts';
import { createSampleQueue } from '../audio/sample-queue.ts';
import { createDeferred } from '../deferred.ts';

/** The result of a playback. */
type PlaybackResult = {
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
  /**
   * Appends mono PCM of any length; it is resampled to the session's rate. Ignored after `end` and `stop`. Throws RangeError if the rate is
   * not supported.
   */
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

type Piece = { samples: Int16Array; resampler: Resampler };
type Entry = { playback: Playback; take(samples: number): Int16Array; isOver(): boolean };

/** Beyond the rounding of a resampler, which is below one sample. */
const ROUNDING_MS = 1;

/**
 * Audio waits at the rate at which it was written and is resampled frame by frame, as it is played: resampling a whole sentence when it
 * arrives would delay the next packets of all calls.
 */
function createEntry(sampleRate: number, onOver: () => void): Entry {
  const waiting: Piece[] = [];
  const resampled = createSampleQueue();
  const marks: { atMs: number; resolve: (outcome: 'played' | 'dropped') => void }[] = [];
  const producers: { belowMs: number; resolve: () => void }[] = [];
  let writing: Resampler | undefined;
  let writtenMs = 0;
  let played = 0;
  let ended = false;
  let over = false;
  const { promise: done, resolve: resolveDone } = createDeferred<PlaybackResult>();
  const isEmpty = (): boolean => waiting.length === 0 && resampled.length === 0;
  const playedMs = (): number => msOf(played, sampleRate);
  const bufferedMs = (): number => (isEmpty() ? 0 : writtenMs - playedMs());
  const outcomeAt = (atMs: number): 'played' | 'dropped' =>
    atMs <= playedMs() + ROUNDING_MS ? 'played' : 'dropped';

  const resampleNext = (first: Piece): void => {
    const { samples, resampler } = first;
    const frame = samplesIn(FRAME_MS, resampler.fromRate);
    resampled.push(resampler.process(samples.subarray(0, frame)));
    if (samples.length > frame) first.samples = samples.subarray(frame);
    else waiting.shift();
  };
  const finish = (interrupted: boolean): void => {
    over = true;
    onOver();
    waiting.length = 0;
    resampled.clear();
    for (const { atMs, resolve } of marks.splice(0)) resolve(outcomeAt(atMs));
    for (const { resolve } of producers.splice(0)) resolve();
    resolveDone({ playedMs: playedMs(), interrupted });
  };
  const settle = (): void => {
    while (marks[0] && outcomeAt(marks[0].atMs) === 'played') marks.shift()?.resolve('played');
    for (let i = producers.length - 1; i >= 0; i -= 1) {
      if (bufferedMs() < (producers[i]?.belowMs ?? 0)) producers.splice(i, 1)[0]?.resolve();
    }
    if (ended && isEmpty() && !over) finish(false);
  };

  return {
    isOver: () => over,
    take(wanted) {
      while (waiting[0] && resampled.length < wanted) resampleNext(waiting[0]);
      const samples = resampled.shift(wanted);
      played += samples.length;
      settle();
      return samples;
    },
    playback: {
      write(samples, rate) {
        if (ended || over || samples.length === 0) return;
        if (writing?.fromRate !== rate) writing = createResampler(rate, sampleRate);
        // A copy: the producer may write to its own later.
        waiting.push({ samples: samples.slice(), resampler: writing });
        writtenMs += msOf(samples.length, rate);
      },
      mark() {
        const outcome = outcomeAt(writtenMs);
        if (over || outcome === 'played') return Promise.resolve(outcome);
        return new Promise((resolve) => marks.push({ atMs: writtenMs, resolve }));
      },
      end() {
        ended = true;
        settle();
      },
      stop() {
        if (!over) finish(!(ended && isEmpty()));
      },
      get playedMs() {
        return playedMs();
      },
      get bufferedMs() {
        return bufferedMs();
      },
      ready(belowMs = DEFAULT_READY_BELOW_MS) {
        if (over || bufferedMs() < belowMs) return Promise.resolve();
        return new Promise((resolve) => producers.push({ belowMs, resolve }));
      },
      done,
    },
  };
}
