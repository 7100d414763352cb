import type { MediaClock, MediaSession } from '@parley/media';
import { createSilence } from './activity/silence.ts';
import { createSpeechActivity } from './activity/speech-activity.ts';
import type { VoiceActivityFactory } from './activity/voice-activity.ts';
import { SpeechError, type SpeechToText, type TextToSpeech } from './ports.ts';
import { untilAborted } from './providers/waiting.ts';
import { createInterruption } from './turns/interruption.ts';
import { createKeyEntry } from './turns/key-entry.ts';
import { createListening } from './turns/listening.ts';
import { createTurnQueue, type Heard } from './turns/turn-queue.ts';
import { type TurnSettings, turnSettings } from './turns/turn-settings.ts';
import { type Answer, type Spoken, startAnswer } from './voice/answer.ts';

/** A conversation by voice, as text. */
export type SpokenPort = {
  /**
   * Speaks a text; a stream is spoken as it arrives. Resolves when it has been heard or the human has interrupted it. Texts are spoken
   * one after the other. Rejects with the signal's reason, the stream's error, or SpeechError if no provider can speak.
   */
  say(text: string | AsyncIterable<string>, signal: AbortSignal): Promise<Spoken>;
  /**
   * Resolves with the human's next turn, which may have begun or even ended before this is called. Rejects with the signal's reason, or
   * SpeechError if no provider can recognize speech.
   */
  hear(signal: AbortSignal): Promise<Heard>;
  /** The human pressed a key that signalling carries; the session reports those in its media itself. */
  press(digit: string): void;
  /** Since when both sides have been silent; null: one of them is speaking. Lasting sound without words is silence. */
  readonly silentSinceMs: number | null;
  /**
   * Begins the end of a conversation that continues elsewhere: no other text is spoken, and `hear` resolves with no other turn. Resolves
   * when the human has finished the turn that they have begun, in words or keys, or after `maxMs`.
   */
  letFinish(maxMs: number): Promise<void>;
  /**
   * Removes what the human has said and `hear` has not returned, also of a turn that is not over. Words spoken over an assistant that can
   * be interrupted are left: whether they are a turn is not known yet.
   */
  takeUnheard(): Heard[];
  /**
   * Discards speech that is not a turn yet, so that it does not interrupt the next text, even if its words are recognized only
   * then.
   */
  forget(): void;
  /** Ends the conversation, but not the media session. The end of the media session also ends the conversation. */
  close(): void;
};

/** An event of a conversation. Times are those of the clock and its frames. */
export type SpokenEvent =
  | { type: 'speech_started'; atMs: number }
  | { type: 'speech_stopped'; atMs: number }
  /** The words of the turn so far. */
  | { type: 'interim'; text: string }
  /** The assistant pauses because the human has begun to speak. */
  | { type: 'held'; atMs: number }
  /** The human did not interrupt: the assistant continues. */
  | { type: 'resumed'; atMs: number }
  | { type: 'said'; spoken: Spoken }
  /** Latency of the answer to the human's last turn. */
  | {
      type: 'answered';
      endOfSpeechAtMs: number;
      endOfTurnAtMs: number;
      firstTextAtMs: number;
      firstAudioAtMs: number;
      /** The providers that recognized the turn and spoke the answer. */
      providers: { stt: string; tts: string };
    };

export type SpokenPortOptions = {
  media: MediaSession;
  stt: SpeechToText;
  tts: TextToSpeech;
  vad: VoiceActivityFactory;
  clock: MediaClock;
  /** BCP 47. */
  language: string;
  voice?: { voiceId?: string; speed?: number };
  /** Words that are likely to be said. */
  phrases?: readonly string[];
  /** Overrides of `DEFAULT_TURN_SETTINGS`. */
  turns?: Partial<TurnSettings>;
  onEvent?: (event: SpokenEvent) => void;
};

/**
 * Opens a conversation on a session. Throws SpeechError if the recognizer does not understand lines of this rate. Whether a provider's failure ends it depends on
 * `stt` and `tts`: see the fallbacks.
 */
export function createSpokenPort(options: SpokenPortOptions): SpokenPort {
  const { media, stt, tts, clock, language, voice, phrases, onEvent = () => undefined } = options;
  if (media.sampleRate < (stt.minLineRate ?? 0)) {
    const message = `Needs a line of ${stt.minLineRate} samples a second; this one has ${media.sampleRate}`;
    throw new SpeechError(stt.name, 'request', message);
  }
  const settings = turnSettings(options.turns);
  const detector = options.vad(media.sampleRate);
  const activity = createSpeechActivity(detector);
  const silence = createSilence(activity, clock);
  const turns = createTurnQueue();
  const closing = new AbortController();
  let answer: Answer | undefined;
  let lastSaid: Promise<unknown> = Promise.resolve();
  let lastTurn: { endOfSpeechAtMs: number; endOfTurnAtMs: number; provider: string } | undefined;

  const listening = createListening({
    stt,
    activity,
    settings,
    language,
    ...(phrases && { phrases }),
    sampleRate: media.sampleRate,
    mayEnd: () => answer === undefined,
    onInterim(text) {
      silence.hearWords();
      onEvent({ type: 'interim', text });
    },
    onTurn({ provider, ...turn }) {
      lastTurn = { endOfSpeechAtMs: turn.endedAtMs, endOfTurnAtMs: clock.nowMs(), provider };
      turns.add({ ...turn, source: 'speech' });
    },
    onError: (error: SpeechError) => turns.fail(error),
  });
  const keys = createKeyEntry({
    clock,
    interDigitMs: settings.interDigitMs,
    onEntry: ({ keys: text, ...times }) => turns.add({ text, source: 'keys', confidence: null, ...times }),
  });
  const press = (digit: string): void => {
    if (closing.signal.aborted) return;
    silence.restart();
    if (settings.interruptible) answer?.interrupt();
    keys.press(digit);
  };
  let checkAnswer: ((nowMs: number) => void) | undefined;
  let isLeaving = false;
  const isInTurn = (): boolean => keys.isOpen || !listening.isSettled() || listening.words() !== '';

  const unsubscribe = [
    media.onFrame((frame) => {
      const change = activity.push(frame);
      if (change === 'started') onEvent({ type: 'speech_started', atMs: activity.startedAtMs ?? frame.atMs });
      if (change === 'stopped')
        onEvent({ type: 'speech_stopped', atMs: activity.lastVoiceAtMs ?? frame.atMs });
      listening.push(frame);
      silence.push(answer !== undefined);
      checkAnswer?.(frame.atMs);
    }),
    media.onDigit(press),
  ];

  const speak = async (text: string | AsyncIterable<string>, signal: AbortSignal): Promise<Spoken> => {
    const answered = lastTurn;
    lastTurn = undefined;
    let firstTextAtMs = clock.nowMs();
    const begun = startAnswer(media, text, {
      tts,
      ...voice,
      language,
      signal,
      onText: () => {
        firstTextAtMs = clock.nowMs();
      },
      onFirstAudio: (firstAudioAtMs, speaker) => {
        if (!answered) return;
        const { provider, ...times } = answered;
        const providers = { stt: provider, tts: speaker };
        onEvent({ type: 'answered', ...times, firstTextAtMs, firstAudioAtMs, providers });
      },
    });
    const interruption = createInterruption({
      activity,
      listening,
      settings,
      language,
      actions: {
        hold() {
          media.pause('barge_in', true);
          onEvent({ type: 'held', atMs: clock.nowMs() });
        },
        resume() {
          media.pause('barge_in', false);
          onEvent({ type: 'resumed', atMs: clock.nowMs() });
        },
        interrupt: begun.interrupt,
      },
    });
    answer = begun;
    checkAnswer = (nowMs) => interruption.check(nowMs, begun.progress());
    const { spoken, error } = await begun.done;
    media.pause('barge_in', false);
    answer = undefined;
    checkAnswer = undefined;
    silence.restart();
    onEvent({ type: 'said', spoken });
    signal.throwIfAborted();
    if (error !== undefined) throw error;
    return spoken;
  };

  const close = (): void => {
    if (closing.signal.aborted) return;
    closing.abort(new Error('The conversation is closed'));
    for (const end of unsubscribe) end();
    keys.close();
    listening.close();
    detector.close();
    turns.fail(closing.signal.reason);
  };
  void media.closed.then(close);

  return {
    say(text, signal) {
      const either = AbortSignal.any([signal, closing.signal]);
      const said = lastSaid.then(async () => {
        either.throwIfAborted();
        return isLeaving ? new Promise<never>(() => undefined) : speak(text, either);
      });
      lastSaid = said.catch(() => undefined);
      return untilAborted(said, either);
    },
    hear: (signal) => turns.next(signal),
    press,
    letFinish(maxMs) {
      isLeaving = true;
      turns.hold();
      return new Promise((resolve) => {
        const finish = (): void => {
          cancel();
          stopWatching();
          resolve();
        };
        const cancel = clock.timer(maxMs, finish);
        const stopWatching = media.onFrame(() => {
          if (!isInTurn()) finish();
        });
        if (!isInTurn()) finish();
      });
    },
    takeUnheard() {
      keys.complete();
      const words = answer && settings.interruptible ? undefined : listening.take();
      if (!words) return turns.drain();
      const { provider: _, ...turn } = words;
      return [...turns.drain(), { ...turn, source: 'speech' }];
    },
    forget: listening.forget,
    get silentSinceMs() {
      return answer || silence.isSpeaking ? null : silence.sinceMs;
    },
    close,
  };
}
