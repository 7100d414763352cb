import { createResampler, type MediaClock, type MediaSession } from '@parley/media';
import { createSilence } from '../activity/silence.ts';
import { createSpeechActivity } from '../activity/speech-activity.ts';
import type { VoiceActivityFactory } from '../activity/voice-activity.ts';
import type { SpeechError } from '../ports.ts';
import { checkReply } from '../reply-limits.ts';
import type { SpokenEvent } from '../spoken-port.ts';
import { createKeyEntry } from '../turns/key-entry.ts';
import { DEFAULT_TURN_SETTINGS } from '../turns/turn-settings.ts';
import { createDueAnswer } from './due-answer.ts';
import { createHold } from './hold.ts';
import type { LiveSpoken } from './live-answer.ts';
import { type AnsweredTurn, createLiveAnswers } from './live-answers.ts';
import { createLiveLink } from './live-link.ts';
import type { LiveEvent, LiveModel, LiveSetup, LiveToolResult, LiveTurn } from './live-model.ts';
import { createLiveTools } from './live-tools.ts';
import { createLiveTurns, type LiveLatency, type LiveTurnSink } from './live-turns.ts';
import { sayExactly } from './say-exactly.ts';

export type LiveConversationOptions = {
  media: MediaSession;
  model: LiveModel;
  setup: LiveSetup;
  /** The handle of a conversation that another process started. */
  handle: string | null;
  /** What was said and done so far. */
  history: () => readonly LiveTurn[];
  /** The model's opening; undefined: it waits for the human. */
  opening: string | undefined;
  /** Tools that end the conversation; current speech is played to its end first. */
  endingTools: ReadonlySet<string>;
  turns: LiveTurnSink;
  /** Rejects only when the conversation is over. */
  useTool: (name: string, args: unknown) => Promise<LiveToolResult>;
  vad: VoiceActivityFactory;
  clock: MediaClock;
  /** Maximum silence of a model that should answer. */
  timeoutMs: number;
  onHandle: (handle: string) => void;
  onLatency: (latency: LiveLatency) => void;
  onFailure: (failure: SpeechError) => void;
  /** The human entered keys. */
  onKeys: (keys: string) => void;
  /** Called when the human starts or stops speaking, and with the words of the turn so far. */
  onHeard?: (event: SpokenEvent) => void;
};

/** A conversation between the human on a line and a model that listens and speaks itself. */
export type LiveConversation = {
  /** Conducts the conversation. Rejects with the signal's reason, or with SpeechError if the model can't continue. Call it once. */
  run(signal: AbortSignal): Promise<void>;
  /** The model says a text on a line without a conversation partner, such as a voicemail. */
  sayExactly(text: string, signal: AbortSignal): Promise<LiveSpoken>;
  /** Adds a turn of the human, who wrote it. */
  sendText(text: string): void;
  /** The human pressed a key that signalling carries; the session reports those in its media itself. */
  press(digit: string): void;
  /** Since when both sides have been silent; null: one of them is speaking, or the model is working. */
  readonly silentSinceMs: number | null;
  /** Resolves when the heard words of all answers are recorded; `run` and `sayExactly` must be over, or their signals aborted. */
  settled(): Promise<void>;
  close(): void;
};

const CONTINUE =
  'The line broke off for a moment. If the human asked something that has no answer yet, answer it. If you were cut off, continue where you were.';

export function createLiveConversation(options: LiveConversationOptions): LiveConversation {
  const { media, model, setup, clock, timeoutMs, onLatency, onKeys } = options;
  const detector = options.vad(media.sampleRate);
  const activity = createSpeechActivity(detector);
  const silence = createSilence(activity, clock);
  const resampler = createResampler(media.sampleRate, model.hearingRate);
  const turns = createLiveTurns(options.turns, clock);
  const remind = (): void => link.respond(CONTINUE);
  const { silenceMs } = setup;
  const due = createDueAnswer({ activity, silence, turns, clock, timeoutMs, silenceMs, remind });
  const hold = createHold(media, activity);

  const over = new AbortController();
  let isRunning = false;
  /** The provider is about to close the connection. */
  let isLeaving = false;
  /** The last turn of the human, until an answer follows it. */
  let lastTurn: AnsweredTurn | undefined;
  let giveUp = (_: unknown): void => {};
  let saying: Promise<LiveSpoken> | undefined;

  const link = createLiveLink({
    ...options,
    history: () => turns.settled().then(options.history),
    signal: over.signal,
    onEvent: (event) => onEvent(event),
    onLost: () => {
      isLeaving = false;
      due.lose(isDue() || (answers.arePlaying && !answers.areComplete()));
      // The audio that has arrived is still played; missing words will not arrive any more.
      answers.endAll();
      turns.finish(due.isRepeated);
      return due.isRepeated;
    },
    onRenewed: due.renew,
    onGivenUp: (failure) => giveUp(failure),
  });

  /** The model should speak, or at least react. */
  const isDue = (): boolean => due.isExpected || (due.hasSpeech && !tools.areAwaited);

  /** Ids of answers and turns are only unique within a connection. */
  const idOf = (id: string): string => `${link.current} ${id}`;
  const answers = createLiveAnswers({
    media,
    provider: model.name,
    speakingRate: model.speakingRate,
    turns,
    takeTurn: () => {
      const turn = lastTurn;
      lastTurn = undefined;
      return turn;
    },
    onLatency,
    onInterrupted: (id, playedMs) => {
      const own = idOf('');
      if (id.startsWith(own)) link.cutOff(id.slice(own.length), playedMs);
    },
    onDone: silence.restart,
  });

  const tools = createLiveTools({
    ...options,
    tools: setup.tools,
    link,
    turns,
    answers,
    onAnswered: () => due.expect(),
    onDone: silence.restart,
    signal: over.signal,
  });

  const onEvent = (event: LiveEvent): void => {
    due.read(event);
    switch (event.type) {
      case 'audio':
      case 'said': {
        turns.answered();
        if (lastTurn) lastTurn.firstTextAtMs ??= clock.nowMs();
        const answer = answers.open(idOf(event.answer));
        if (event.type === 'audio') answer?.write(event.samples);
        else answer?.say(event.text);
        return;
      }
      case 'answer_ended':
        answers.end(idOf(event.answer));
        return;
      case 'heard':
        checkReply(model.name, { characters: event.text.length });
        if (event.text.trim() !== '') silence.hearWords();
        turns.heard(idOf(event.turn), event.text, event.isFinal);
        options.onHeard?.({ type: 'interim', text: event.text });
        return;
      case 'turn_ended':
        turns.ended(idOf(event.turn));
        lastTurn = { endOfSpeechAtMs: activity.lastVoiceAtMs ?? clock.nowMs(), endOfTurnAtMs: clock.nowMs() };
        if (!tools.areAwaited) due.expect();
        return;
      case 'interrupted':
        answers.interrupt();
        return;
      case 'done':
        silence.restart();
        return;
      case 'tool':
        turns.answered();
        tools.run(event);
        return;
      case 'tools_cancelled':
        tools.cancel(event.ids);
        return;
      case 'resumable':
        options.onHandle(event.handle);
        return;
      case 'leaving':
        isLeaving = true;
    }
  };

  const isQuiet = (): boolean => !answers.arePlaying && !silence.isSpeaking && !tools.areAwaited && !isDue();

  /** A model that falls silent during an answer, or when it should answer, has failed. */
  const watch = (): void => {
    if (!link.isOpen || silence.isSpeaking) return;
    due.remindIfSilent();
    const isLate = due.isExpected || answers.areStalled() || (isDue() && !answers.arePlaying);
    if (isLate && due.silentMs > timeoutMs) link.lose('the model does not answer');
    else if (isQuiet()) {
      link.idle();
      if (isLeaving && link.renew()) isLeaving = false;
    }
  };

  /** The provider may think that the human has heard everything already. */
  const wasTalkedOver = (nowMs: number): boolean =>
    setup.isInterruptible &&
    activity.isSpeaking &&
    nowMs - (activity.startedAtMs ?? nowMs) >= DEFAULT_TURN_SETTINGS.sustainedMs;

  const press = (digit: string): void => {
    if (over.signal.aborted) return;
    silence.restart();
    keys.press(digit);
  };

  const ends = [
    media.onFrame((frame) => {
      const change = activity.push(frame);
      if (change) options.onHeard?.({ type: `speech_${change}`, atMs: frame.atMs });
      silence.push(answers.arePlaying);
      due.push(frame, answers.arePlaying);
      if (!isRunning) return;

      link.hear(resampler.process(frame.samples));
      link.confirm(due.unansweredMs);
      hold.push(frame, setup.isInterruptible && answers.arePlaying);
      if (answers.areComplete() && wasTalkedOver(frame.atMs)) answers.interrupt();
      watch();
    }),
    media.onDigit(press),
  ];

  const sendText = (text: string): void => {
    if (!isRunning) return;
    if (setup.isInterruptible) answers.interrupt();
    options.turns.begin('user', text);
    link.sendText(text);
    due.expect();
  };

  const keys = createKeyEntry({
    clock,
    interDigitMs: DEFAULT_TURN_SETTINGS.interDigitMs,
    onEntry: ({ keys: pressed }) => {
      onKeys(pressed);
      sendText(`Pressed ${[...pressed].join(' ')}.`);
    },
  });

  const stop = (): void => {
    isRunning = false;
    hold.release();
    answers.stop();
    turns.finish();
    link.close();
  };

  const close = (): void => {
    if (over.signal.aborted) return;
    over.abort(new Error('The conversation is closed'));
    for (const end of ends) end();
    keys.close();
    stop();
    detector.close();
  };
  void media.closed.then(close);

  return {
    run: async (signal) => {
      const either = AbortSignal.any([signal, over.signal]);
      either.throwIfAborted();
      const ended = new Promise<never>((_, reject) => {
        giveUp = reject;
        either.addEventListener('abort', () => reject(either.reason), { once: true });
      });
      ended.catch(() => {});
      isRunning = true;
      try {
        if (options.opening !== undefined) link.respond(options.opening);
        await Promise.race([link.open(), ended]);
        due.expect(options.opening !== undefined);
        await ended;
      } finally {
        stop();
      }
    },
    sayExactly: (text, signal) => {
      const either = AbortSignal.any([signal, over.signal]);
      saying = sayExactly(text, { ...options, signal: either, beginTurn: turns.answer, wasTalkedOver });
      return saying;
    },
    sendText,
    press,
    get silentSinceMs() {
      const isWorking = isRunning && !(isQuiet() && link.isOpen);
      return isWorking || silence.isSpeaking ? null : silence.sinceMs;
    },
    settled: async () => void (await Promise.all([answers.settled(), saying?.catch(() => {})])),
    close,
  };
}
