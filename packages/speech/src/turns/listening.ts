import { type AudioFrame, createResampler, FRAME_MS } from '@parley/media';
import type { SpeechActivity } from '../activity/speech-activity.ts';
import type { Recognition, SpeechError, SpeechStream, SpeechToText } from '../ports.ts';
import { isUnfinished } from './phrases.ts';
import type { TurnSettings } from './turn-settings.ts';

// A turn: the human speaks, with pauses, until a silence ends it. Its words come from the recognizer, interim and final ones, at any time.
//
// speaking ──200 ms without voice──▶ pausing ──flushAfterMs: flush──▶ all words known ──silenceMs, or unfinishedSilenceMs──▶ turn
//    ▲                                  │
//    └────────────── voice ─────────────┘

/** What the human said in one turn. */
export type SpokenTurn = {
  text: string;
  confidence: number | null;
  /** Start and end of the speech. */
  startedAtMs: number;
  endedAtMs: number;
  /** The provider that recognized its last words. */
  provider: string;
};

/** Assembles turns from one call's audio. */
export type Listening = {
  push(frame: AudioFrame): void;
  /** All words so far, including interim ones. */
  words(): string;
  /** How long the speech of the turn has lasted so far, pauses included. */
  speechMs(): number;
  /** Whether the human is silent and all words of the previous speech are known. */
  isSettled(): boolean;
  /** Requests the final words now, instead of after `flushAfterMs`. */
  settleSoon(): void;
  /** Removes the words so far, as a turn that is not over. */
  take(): SpokenTurn | undefined;
  /** Discards the words so far: they belong to no turn. */
  discard(): void;
  /** Discards what was said so far, also the words of it that the recognizer returns later. */
  forget(): void;
  close(): void;
};

export function createListening(options: {
  stt: SpeechToText;
  activity: SpeechActivity;
  settings: TurnSettings;
  language: string;
  phrases?: readonly string[];
  sampleRate: number;
  /** Whether a turn may end now; it may not while its words could be a backchannel. */
  mayEnd: () => boolean;
  onInterim: (text: string) => void;
  onTurn: (turn: SpokenTurn) => void;
  onError: (error: SpeechError) => void;
}): Listening {
  const { stt, activity, settings, language, phrases, onInterim, onTurn } = options;
  const resampler = createResampler(options.sampleRate, stt.sampleRate);
  let finals: Recognition[] = [];
  let provider = stt.name;
  let interim = '';
  /** Time of the first sample of the stream. */
  let openedAtMs: number | undefined;
  let nowMs = 0;
  let startedAtMs: number | undefined;
  let endedAtMs = 0;
  /** There is speech whose final words have not been requested. */
  let isDirty = false;
  let isFlushing = false;
  let isClosed = false;
  /** Length of the audio so far. */
  let pushedMs = 0;
  /** What was said before does not count. */
  let forgotten: { pushedMs: number; atMs: number } | undefined;

  const words = (): string =>
    [...finals.map(({ text }) => text.trim()), interim.trim()].filter((text) => text !== '').join(' ');
  const discard = (): void => {
    finals = [];
    interim = '';
    startedAtMs = undefined;
  };
  /** As in `noteSpeech`, words may include the silence after them. */
  const isForgotten = ({ startMs, endMs }: Recognition): boolean =>
    forgotten !== undefined &&
    (endMs <= forgotten.pushedMs ||
      (startMs < forgotten.pushedMs && (activity.lastVoiceAtMs ?? Infinity) <= forgotten.atMs));
  /** Words prove speech, even if the voice activity detector missed it. */
  const noteSpeech = ({ startMs, endMs }: Recognition): void => {
    // Voice activity is exact; providers may count the silence before a flush as a part of the words.
    const isKnown = startedAtMs !== undefined && (activity.lastVoiceAtMs ?? 0) > startedAtMs;
    if (openedAtMs === undefined || isKnown) return;
    startedAtMs ??= Math.min(nowMs, openedAtMs + startMs);
    endedAtMs = Math.max(endedAtMs, Math.min(nowMs, openedAtMs + endMs));
  };
  const onResult = (result: Recognition): void => {
    if (isClosed || isForgotten(result) || (result.text.trim() === '' && interim === '')) return;
    interim = result.isFinal ? '' : result.text;
    if (result.isFinal && result.text.trim() !== '') finals.push(result);
    if (result.text.trim() === '') return;
    provider = result.provider ?? stt.name;
    noteSpeech(result);
    if (!result.isFinal) isDirty = true;
    onInterim(words());
    endTurn();
  };
  const stream: SpeechStream = stt.open({
    language,
    ...(phrases && { phrases }),
    onResult,
    onError: (error) => {
      // The words so far do not become a turn, and must not interrupt what is said now.
      discard();
      isDirty = false;
      options.onError(error);
    },
  });
  const flush = (): void => {
    isDirty = false;
    isFlushing = true;
    const settled = (): void => {
      isFlushing = false;
      if (isClosed) return;
      if (words() === '' && !activity.isSpeaking) startedAtMs = undefined;
      endTurn();
    };
    stream.flush().then(settled, settled);
  };
  const isSettled = (): boolean => !activity.isSpeaking && !isDirty && !isFlushing;
  const take = (): SpokenTurn | undefined => {
    const text = words();
    if (text === '') return undefined;
    const known = finals.flatMap(({ confidence }) => (confidence === null ? [] : [confidence]));
    const confidence = known.length > 0 ? Math.min(...known) : null;
    const turn = { text, confidence, startedAtMs: startedAtMs ?? endedAtMs, endedAtMs, provider };
    discard();
    return turn;
  };
  const endTurn = (): void => {
    const text = words();
    if (text === '' || startedAtMs === undefined || !isSettled() || !options.mayEnd()) return;
    const enoughMs = isUnfinished(text, language) ? settings.unfinishedSilenceMs : settings.silenceMs;
    if (nowMs - endedAtMs < enoughMs) return;
    const turn = take();
    if (turn) onTurn(turn);
  };

  return {
    push(frame) {
      nowMs = frame.atMs + FRAME_MS;
      openedAtMs ??= frame.atMs;
      pushedMs += FRAME_MS;
      stream.push(resampler.process(frame.samples));
      if (activity.isSpeaking) {
        startedAtMs ??= activity.startedAtMs;
        endedAtMs = activity.lastVoiceAtMs ?? endedAtMs;
        isDirty = true;
      }
      if (!activity.isSpeaking && isDirty && !isFlushing && nowMs - endedAtMs >= settings.flushAfterMs)
        flush();
      endTurn();
    },
    words,
    speechMs: () => (startedAtMs === undefined ? 0 : endedAtMs - startedAtMs),
    isSettled,
    settleSoon() {
      if (!activity.isSpeaking && isDirty && !isFlushing) flush();
    },
    take,
    discard,
    forget() {
      discard();
      forgotten = { pushedMs, atMs: nowMs };
      // Otherwise the recognizer might return later words together with these.
      if (isDirty && !isFlushing) flush();
    },
    close() {
      isClosed = true;
      stream.close();
    },
  };
}
