import { type AudioFrame, FRAME_MS, type MediaClock } from '@parley/media';
import type { Silence } from '../activity/silence.ts';
import type { SpeechActivity } from '../activity/speech-activity.ts';
import { MAX_UNCONFIRMED_MS } from '../providers/unconfirmed-audio.ts';
import { DEFAULT_TURN_SETTINGS } from '../turns/turn-settings.ts';
import type { LiveEvent } from './live-model.ts';
import type { LiveTurns } from './live-turns.ts';

/** Shorter sound may be a cough, which providers ignore. It includes the silence after which speech counts as over. */
const MIN_SPEECH_MS = 500;
/** Audio before the detected beginning of speech that belongs to it. */
const LEAD_IN_MS = 300;
/** Time that a provider gets to notice speech that was sent again, after the silence that ends a turn. */
const NOTICE_MS = 3_000;

/** Whether the model should say or do something, because it was asked or because the human spoke. */
export type DueAnswer = {
  /** Call with each frame, after `activity` and `silence`. */
  push(frame: AudioFrame, isAnswering: boolean): void;
  read(event: LiveEvent): void;
  /** The model was asked for an answer, or (false) is not expected to answer. */
  expect(mustAnswer?: boolean): void;
  /** The connection is lost. `mustAnswer`: the next one must give the answer. */
  lose(mustAnswer: boolean): void;
  /** There is another connection, whose model hears again what the human said without an answer. */
  renew(): void;
  /** Reminds the model of another connection of the answer, once, if it has not noticed the speech by itself. */
  remindIfSilent(): void;
  readonly isExpected: boolean;
  /** The human has spoken, and the model has not ended the turn, or has not noticed it at all. */
  readonly hasSpeech: boolean;
  /** How long both sides have been silent, and the model has not reacted. */
  readonly silentMs: number;
  /** Age of the oldest audio that has no answer yet. */
  readonly unansweredMs: number;
  /** Another connection hears all of the human's speech that has no answer. */
  readonly isRepeated: boolean;
};

type Options = {
  activity: SpeechActivity;
  silence: Silence;
  turns: Pick<LiveTurns, 'hasOpenWords'>;
  clock: Pick<MediaClock, 'nowMs'>;
  timeoutMs: number;
  /** Silence that ends a turn of the human. */
  silenceMs: number | undefined;
  remind: () => void;
};

export function createDueAnswer(options: Options): DueAnswer {
  const { activity, silence, turns, clock, timeoutMs, silenceMs = DEFAULT_TURN_SETTINGS.silenceMs } = options;
  const noticeMs = Math.min(timeoutMs / 2, NOTICE_MS + silenceMs);
  let isExpected = false;
  let isExpectedNext = false;
  let lastEventAtMs = clock.nowMs();
  /** Length of the human's speech since the model last noticed any. */
  let unnoticedMs = 0;
  /** False: a connection was already replaced because the model did not notice a sound, which may be noise. Words end that. */
  let mayBeSpeech = true;
  /** Beginning of the human's speech that has no answer. */
  let speechAtMs: number | undefined;
  /** Length of that speech; whether the model has noticed any of it. */
  let speechMs = 0;
  let isNoticed = false;
  let remindsAfterMs: number | undefined;

  const expect = (mustAnswer = true): void => {
    lastEventAtMs = clock.nowMs();
    isExpected = mustAnswer;
  };
  const silentMs = (): number => clock.nowMs() - Math.max(lastEventAtMs, silence.sinceMs);
  const speechAgeMs = (): number => (speechAtMs === undefined ? 0 : clock.nowMs() - speechAtMs);
  const beginSpeech = (atMs: number | undefined): void => {
    speechAtMs = atMs;
    speechMs = speechAgeMs();
    isNoticed = false;
  };
  const isUnnoticed = (): boolean => unnoticedMs >= MIN_SPEECH_MS;
  const notice = (): void => {
    isNoticed = true;
    unnoticedMs = 0;
    mayBeSpeech = true;
    remindsAfterMs = undefined;
  };
  const remindIfSilent = (): void => {
    if (remindsAfterMs === undefined || silentMs() < remindsAfterMs) return;
    remindsAfterMs = undefined;
    expect();
    options.remind();
  };

  return {
    push: ({ atMs }, isAnswering) => {
      if (!activity.isSpeaking) {
        // A cough: a question long after it must be heard again from its own beginning.
        const isLongAgo = atMs - (activity.lastVoiceAtMs ?? atMs) > NOTICE_MS;
        if (isLongAgo && !isNoticed && speechMs < MIN_SPEECH_MS) speechAtMs = undefined;
        return;
      }
      if (speechAtMs === undefined) beginSpeech(activity.startedAtMs ?? atMs);
      speechMs += FRAME_MS;
      // Sound that lasts is no speech: see `silence`.
      if (!silence.isSpeaking) unnoticedMs = 0;
      else if (mayBeSpeech && !isAnswering) unnoticedMs += FRAME_MS;
    },
    read: (event) => {
      if (event.type === 'resumable' || event.type === 'leaving') return;
      lastEventAtMs = clock.nowMs();
      switch (event.type) {
        case 'audio':
        case 'said':
        case 'tool':
          isExpected = false;
          unnoticedMs = 0;
          remindsAfterMs = undefined;
          beginSpeech(activity.isSpeaking ? activity.startedAtMs : undefined);
          return;
        case 'done':
          isExpected = false;
          return;
        case 'heard':
          if (event.text.trim() !== '') notice();
          return;
        case 'turn_ended':
          notice();
      }
    },
    expect,
    lose: (mustAnswer) => {
      isExpectedNext = mustAnswer;
      isExpected = false;
      remindsAfterMs = undefined;
      if (!isUnnoticed()) return;
      mayBeSpeech = false;
      unnoticedMs = 0;
    },
    renew: () => {
      expect(isExpected || isExpectedNext);
      // The model answers speech that it hears again by itself; a second request would give a second answer.
      if (isExpectedNext) remindsAfterMs = speechAtMs === undefined ? 0 : noticeMs;
      remindIfSilent();
    },
    remindIfSilent,
    get isExpected() {
      return isExpected;
    },
    get hasSpeech() {
      return turns.hasOpenWords || isUnnoticed();
    },
    get silentMs() {
      return silentMs();
    },
    get unansweredMs() {
      return LEAD_IN_MS + speechAgeMs();
    },
    get isRepeated() {
      return speechAtMs !== undefined && speechAgeMs() < MAX_UNCONFIRMED_MS;
    },
  };
}
