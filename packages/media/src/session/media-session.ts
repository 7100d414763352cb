import { type AudioFrame, FRAME_MS, mixInto, samplesIn } from '../audio/frame.ts';
import { createDeferred } from '../deferred.ts';
import { DTMF_DIGITS } from '../rtp/telephone-event.ts';
import type { Ticker } from '../ticker.ts';
import { createDigitQueue, type DtmfOptions } from './digit-queue.ts';
import type { AudioLine, MediaStats } from './line.ts';
import { createPlayoutQueue, type Playback } from './playout-queue.ts';

/** Ends a subscription. */
export type Unsubscribe = () => void;

/** `barge_in`: the far end has begun to speak over a playback. */
type PauseReason = 'hold' | 'barge_in' | 'disconnected';

/**
 * The media of one call leg, whatever carries it. Audio is mono PCM in frames of 20 ms at `sampleRate`, one frame in and one out every
 * 20 ms from creation to `close`. Every implementation passes `mediaSessionContract`.
 */
export type MediaSession = {
  readonly sampleRate: number;
  /** Audio of the far end. Silence and concealed losses are frames too, so a listener can count time by them. */
  onFrame(listener: (frame: AudioFrame) => void): Unsubscribe;
  /** Audio sent to the far end: playbacks, sources and silence. `atMs` is the time of sending. */
  onSent(listener: (frame: AudioFrame) => void): Unsubscribe;
  /** Keys that the far end presses: one of `0-9*#A-D`. */
  onDigit(listener: (digit: string) => void): Unsubscribe;
  /** Opens a playback, which is played after those already open. */
  play(): Playback;
  /** Stops all playbacks at once: from the next frame on the far end hears silence. */
  flush(): void;
  /** Playbacks are paused while there is any reason; sources are not affected. */
  pause(reason: PauseReason, on: boolean): void;
  /** Mixes live audio into what is sent. `pull` returns the next 20 ms at `sampleRate`, or undefined; it is called once a frame. */
  addSource(pull: () => Int16Array | undefined): Unsubscribe;
  /**
   * Presses keys one after the other. Resolves when the last one is over or the session closed. Rejects with RangeError if a digit is
   * none of `0-9*#A-D`, and with Error if the far end does not support DTMF.
   */
  sendDigits(digits: string, options?: DtmfOptions): Promise<void>;
  /** Replaces what is heard, or what is sent, by silence. */
  mute(direction: 'heard' | 'sent', muted: boolean): void;
  stats(): MediaStats;
  /** Ends the session and its playbacks; repeated calls do nothing. */
  close(): void;
  /** Resolves when the session is closed. */
  readonly closed: Promise<void>;
};

/** A session over a line, which it owns, at the pace of `ticker`. */
export function createMediaSession(line: AudioLine, ticker: Ticker): MediaSession {
  const { sampleRate } = line;
  const frameSamples = samplesIn(FRAME_MS, sampleRate);
  const frameListeners = new Set<(frame: AudioFrame) => void>();
  const sentListeners = new Set<(frame: AudioFrame) => void>();
  const digitListeners = new Set<(digit: string) => void>();
  const sources = new Set<() => Int16Array | undefined>();
  const queue = createPlayoutQueue(sampleRate);
  const digits = createDigitQueue(line.sendDigit);
  const muted = { heard: false, sent: false };
  const paused = new Set<PauseReason>();
  let isClosed = false;
  const { promise: closed, resolve: resolveClosed } = createDeferred<void>();

  const hear = (nowMs: number): void => {
    const { samples, atMs, source } = line.receive(nowMs);
    const frame: AudioFrame = muted.heard
      ? { samples: new Int16Array(frameSamples), sampleRate, atMs, source: 'silence' }
      : { samples, sampleRate, atMs, source };
    for (const listener of frameListeners) listener(frame);
  };
  const speak = (nowMs: number): void => {
    const samples = new Int16Array(frameSamples);
    const played = paused.size > 0 ? undefined : queue.pull(frameSamples);
    if (played) samples.set(played);
    let active = played !== undefined && played.length > 0;
    for (const pull of sources) {
      const added = pull();
      if (!added) continue;
      mixInto(samples, added);
      active = true;
    }
    if (muted.sent) samples.fill(0);
    line.send(samples, nowMs);
    const source = active && !muted.sent ? 'audio' : 'silence';
    for (const listener of sentListeners) listener({ samples, sampleRate, atMs: nowMs, source });
  };
  const unsubscribe = ticker.subscribe((nowMs) => {
    digits.tick(nowMs);
    try {
      hear(nowMs);
    } finally {
      // Also when a listener fails; one may have closed the session.
      if (!isClosed) speak(nowMs);
    }
  });
  line.onDigit((digit) => {
    for (const listener of digitListeners) listener(digit);
  });

  return {
    sampleRate,
    onFrame: (listener) => add(frameListeners, listener),
    onSent: (listener) => add(sentListeners, listener),
    onDigit: (listener) => add(digitListeners, listener),
    play() {
      const playback = queue.open();
      if (isClosed) playback.stop();
      return playback;
    },
    flush() {
      queue.flush();
      line.flush?.();
    },
    pause(reason, on) {
      if (on) paused.add(reason);
      else paused.delete(reason);
    },
    addSource: (pull) => add(sources, pull),
    async sendDigits(keys, options) {
      for (const digit of keys) {
        if (!DTMF_DIGITS.includes(digit)) throw new RangeError(`Not a DTMF digit: ${digit}`);
      }
      if (!isClosed) await digits.send(keys, options);
    },
    mute(direction, on) {
      muted[direction] = on;
    },
    stats: line.stats,
    close() {
      if (isClosed) return;
      isClosed = true;
      unsubscribe();
      queue.flush();
      digits.clear();
      line.close();
      resolveClosed();
    },
    closed,
  };
}

function add<T>(set: Set<T>, item: T): Unsubscribe {
  set.add(item);
  return () => set.delete(item);
}
