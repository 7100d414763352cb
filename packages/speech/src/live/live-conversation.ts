import { createResampler, type MediaClock, type MediaSession } from '@parley/media';
import { createSpeechActivity } from '../activity/speech-activity.ts';
import type { VoiceActivityFactory } from '../activity/voice-activity.ts';
import type { SpeechError } from '../ports.ts';
import type { SpokenEvent } from '../spoken-port.ts';
import { createKeyEntry } from '../turns/key-entry.ts';
import { DEFAULT_TURN_SETTINGS } from '../turns/turn-settings.ts';
import { announce } from './announce.ts';
import { type LiveAnswer, type LiveSpoken, startLiveAnswer } from './live-answer.ts';
import { createLiveLink } from './live-link.ts';
import type { LiveEvent, LiveModel, LiveSetup, LiveToolResult, LiveTurn } from './live-model.ts';
import { createLiveTurns, type LiveLatency, type LiveTurnSink } from './live-turns.ts';

export type LiveConversationOptions = {
  media: MediaSession;
  model: LiveModel;
  setup: LiveSetup;
  /** Of a conversation that another process began. */
  handle: string | null;
  /** What was said and done until now. */
  history: () => readonly LiveTurn[];
  /** With what the model begins; undefined: it waits for the human. */
  opening: string | undefined;
  /** Tools that end the conversation: what is being said is heard first. */
  endingTools: ReadonlySet<string>;
  turns: LiveTurnSink;
  /** Rejects only when the conversation is over. */
  useTool: (name: string, args: unknown) => Promise<LiveToolResult>;
  vad: VoiceActivityFactory;
  clock: MediaClock;
  /** Maximum silence of a model that owes an answer. */
  timeoutMs: number;
  onHandle: (handle: string) => void;
  onLatency: (latency: LiveLatency) => void;
  onFailure: (failure: SpeechError) => void;
  /** The human pressed keys that the media carries. */
  onKeys: (keys: string) => void;
  /** What is heard of the human: when they speak, and the words of the turn so far. */
  onHeard?: (event: SpokenEvent) => void;
};

/** A conversation between the human on a line and a model that listens and speaks itself. */
export type LiveConversation = {
  /** Leads the conversation. Rejects with the signal's reason, or with SpeechError if the model can't go on. Once. */
  run(signal: AbortSignal): Promise<void>;
  /** The model says a text to a line without anyone to talk to. */
  announce(text: string, signal: AbortSignal): Promise<LiveSpoken>;
  /** The human wrote, or pressed keys that the carrier reported: a turn. */
  tell(text: string): void;
  /** Since when both sides are silent; null: one of them speaks, or the model works. */
  readonly silentSinceMs: number | null;
  /** Resolves when what was heard of all answers is recorded; `run` must be over. */
  settled(): Promise<void>;
  close(): void;
};

const INTERRUPTED = 'The human spoke before it: the call goes on';

export function createLiveConversation(options: LiveConversationOptions): LiveConversation {
  const { media, model, setup, clock, timeoutMs, endingTools, useTool, onLatency, onKeys } = options;
  const detector = options.vad(media.sampleRate);
  const activity = createSpeechActivity(detector);
  const resampler = createResampler(media.sampleRate, model.hearingRate);
  const turns = createLiveTurns(options.turns, clock);
  const over = new AbortController();
  const answers = new Map<string, LiveAnswer>();
  const recording = new Set<Promise<void>>();
  const cancelled = new Set<string>();
  const dropped = new Set<string>();
  let isRunning = false;
  let isLeaving = false;
  let blockingTools = 0;
  /** The model owes something since then. */
  let owesSinceMs: number | undefined;
  let lastEventAtMs = clock.nowMs();
  let silentSinceMs = clock.nowMs();
  let lastTurn: { endOfSpeechAtMs: number; endOfTurnAtMs: number; firstTextAtMs?: number } | undefined;
  let giveUp = (_: unknown): void => {};

  const link = createLiveLink({
    ...options,
    signal: over.signal,
    onEvent: (event) => onEvent(event),
    onLost: () => {
      const owes = owesSinceMs !== undefined || [...answers.values()].some(({ isComplete }) => !isComplete);
      // What is there of them is heard.
      for (const answer of answers.values()) answer.end();
      // Words that are still missing don't come any more.
      turns.finish();
      owesSinceMs = undefined;
      return owes;
    },
    onRenewed: (owes) => owe(owes),
    onGivenUp: (failure) => giveUp(failure),
  });

  const owe = (owes = true): void => {
    lastEventAtMs = clock.nowMs();
    owesSinceMs = owes ? lastEventAtMs : undefined;
  };

  const begin = (id: string): LiveAnswer => {
    const turn = turns.answer();
    const answered = lastTurn;
    lastTurn = undefined;
    let latency: LiveLatency | undefined;
    const answer = startLiveAnswer(media, {
      id,
      sampleRate: model.speakingRate,
      onWords: turn.words,
      onFirstAudio: (atMs) => {
        latency = answered && latencyOf(answered, atMs);
        if (latency) onLatency(latency);
        turn.begin();
      },
    });
    answers.set(id, answer);
    const recorded = answer.done.then(({ text, isInterrupted }) => {
      answers.delete(id);
      silentSinceMs = clock.nowMs();
      return turn.end({ text, isInterrupted, ...(latency && { latency }) });
    });
    recording.add(recorded);
    void recorded.finally(() => recording.delete(recorded));
    return answer;
  };
  const answerOf = (id: string): LiveAnswer | undefined =>
    dropped.has(id) ? undefined : (answers.get(id) ?? begin(id));
  /** Connections each number their answers and turns from the start. */
  const idOf = (id: string): string => `${link.current} ${id}`;

  const interrupt = (): void => {
    for (const [id, answer] of answers) {
      dropped.add(id);
      const own = idOf('');
      if (id.startsWith(own)) link.cutOff(id.slice(own.length), answer.playedMs);
      answer.interrupt();
    }
  };

  /** Whether everything that is being said was heard. */
  const isHeard = async (): Promise<boolean> => {
    const spoken = await Promise.all([...answers.values()].map(({ done }) => done));
    return spoken.every(({ isInterrupted }) => !isInterrupted);
  };

  const runTool = async ({ id, name, args }: Extract<LiveEvent, { type: 'tool' }>): Promise<void> => {
    const asked = { link: link.current, id, name, args };
    const tool = setup.tools.find((each) => each.name === name);
    const isBlocking = tool?.behavior !== 'non_blocking';
    if (isBlocking) blockingTools += 1;
    try {
      // The tool is told what the human said.
      await turns.settled();
      const mayRun = !endingTools.has(name) || (await isHeard());
      if (over.signal.aborted) return;
      const answer = mayRun ? await useTool(name, args) : { result: null, error: INTERRUPTED };
      if (over.signal.aborted || cancelled.delete(`${asked.link} ${id}`)) return;
      link.answerTool(asked, answer, isBlocking ? 'now' : tool.scheduling);
      if (isBlocking) owe();
    } finally {
      if (isBlocking) blockingTools -= 1;
      silentSinceMs = clock.nowMs();
    }
  };

  const onEvent = (event: LiveEvent): void => {
    lastEventAtMs = clock.nowMs();
    switch (event.type) {
      case 'audio':
      case 'said': {
        owesSinceMs = undefined;
        if (lastTurn) lastTurn.firstTextAtMs ??= lastEventAtMs;
        const answer = answerOf(idOf(event.answer));
        if (event.type === 'audio') answer?.write(event.samples);
        else answer?.say(event.text);
        return;
      }
      case 'answer_ended':
        answers.get(idOf(event.answer))?.end();
        return;
      case 'heard':
        turns.heard(idOf(event.turn), event.text, event.isFinal);
        options.onHeard?.({ type: 'interim', text: event.text });
        return;
      case 'turn_ended':
        turns.ended(idOf(event.turn));
        lastTurn = {
          endOfSpeechAtMs: activity.lastVoiceAtMs ?? lastEventAtMs,
          endOfTurnAtMs: lastEventAtMs,
        };
        if (blockingTools === 0) owe();
        return;
      case 'interrupted':
        interrupt();
        return;
      case 'done':
        owesSinceMs = undefined;
        silentSinceMs = lastEventAtMs;
        return;
      case 'tool':
        owesSinceMs = undefined;
        runTool(event).catch(() => {});
        return;
      case 'tools_cancelled':
        for (const id of event.ids) cancelled.add(idOf(id));
        return;
      case 'resumable':
        options.onHandle(event.handle);
        return;
      case 'leaving':
        isLeaving = true;
    }
  };

  const isQuiet = (): boolean =>
    answers.size === 0 && !activity.isSpeaking && blockingTools === 0 && owesSinceMs === undefined;

  /** A model that falls silent in the middle, or where it should answer, has failed. */
  const watch = (nowMs: number): void => {
    if (!link.isOpen || activity.isSpeaking) return;
    const sinceMs = Math.max(lastEventAtMs, activity.lastVoiceAtMs ?? 0);
    const isStalled = [...answers.values()].some(({ isComplete, isDry }) => !isComplete && isDry);
    const isUnanswered = turns.hasOpenWords && answers.size === 0 && blockingTools === 0;
    if ((owesSinceMs !== undefined || isStalled || isUnanswered) && nowMs - sinceMs > timeoutMs)
      link.lose('the model does not answer');
    else if (isQuiet()) {
      link.idle();
      if (isLeaving) link.renew();
      isLeaving = false;
    }
  };

  /** The provider may think that the human has heard everything already. */
  const isOverSpoken = (nowMs: number): boolean =>
    setup.isInterruptible &&
    activity.isSpeaking &&
    nowMs - (activity.startedAtMs ?? nowMs) >= DEFAULT_TURN_SETTINGS.sustainedMs;

  const ends = [
    media.onFrame((frame) => {
      const change = activity.push(frame);
      if (change) options.onHeard?.({ type: `speech_${change}`, atMs: frame.atMs });
      if (activity.isSpeaking) silentSinceMs = activity.lastVoiceAtMs ?? silentSinceMs;
      if (!isRunning) return;
      link.hear(resampler.process(frame.samples));
      const playing = [...answers.values()];
      if (playing.length > 0 && playing.every(({ isComplete }) => isComplete) && isOverSpoken(frame.atMs))
        interrupt();
      watch(clock.nowMs());
    }),
    media.onDigit((digit) => {
      silentSinceMs = clock.nowMs();
      keys.press(digit);
    }),
  ];

  const tell = (text: string): void => {
    if (!isRunning) return;
    if (setup.isInterruptible) interrupt();
    options.turns.begin('user', text);
    link.tell(text);
    owe();
  };
  const keys = createKeyEntry({
    clock,
    interDigitMs: DEFAULT_TURN_SETTINGS.interDigitMs,
    onEntry: ({ keys: pressed }) => {
      onKeys(pressed);
      tell(`Pressed ${[...pressed].join(' ')}.`);
    },
  });

  const stop = (): void => {
    isRunning = false;
    for (const answer of answers.values()) answer.interrupt();
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
      signal.throwIfAborted();
      over.signal.throwIfAborted();
      const either = AbortSignal.any([signal, over.signal]);
      const ended = new Promise<never>((_, reject) => {
        giveUp = reject;
        either.addEventListener('abort', () => reject(either.reason), { once: true });
      });
      ended.catch(() => {});
      isRunning = true;
      try {
        if (options.opening !== undefined) link.respond(options.opening);
        await Promise.race([link.open(), ended]);
        owe(options.opening !== undefined);
        await ended;
      } finally {
        stop();
      }
    },
    announce: (text, signal) =>
      announce(text, {
        ...options,
        signal: AbortSignal.any([signal, over.signal]),
        turn: turns.answer(),
        isOverSpoken,
      }),
    tell,
    get silentSinceMs() {
      const isWorking = isRunning && !(isQuiet() && link.isOpen);
      return isWorking || activity.isSpeaking ? null : silentSinceMs;
    },
    settled: async () => void (await Promise.all(recording)),
    close,
  };
}

function latencyOf(
  {
    endOfSpeechAtMs,
    endOfTurnAtMs,
    firstTextAtMs = endOfTurnAtMs,
  }: {
    endOfSpeechAtMs: number;
    endOfTurnAtMs: number;
    firstTextAtMs?: number;
  },
  firstAudioAtMs: number,
): LiveLatency {
  const since = (atMs: number): number => Math.max(0, Math.round(atMs - endOfSpeechAtMs));
  const endOfTurnMs = since(endOfTurnAtMs);
  const firstTokenMs = Math.max(endOfTurnMs, since(firstTextAtMs));
  return { endOfTurnMs, firstTokenMs, firstAudioMs: Math.max(firstTokenMs, since(firstAudioAtMs)) };
}
