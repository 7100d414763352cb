import type { MediaSession } from '@parley/media';
import { SpeechError } from '../ports.ts';
import { keepNewest } from './keep-newest.ts';
import { type LiveAnswer, startLiveAnswer } from './live-answer.ts';
import type { LiveLatency, LiveTurns } from './live-turns.ts';

/** The end of the human's turn that an answer follows, on the media's clock. */
export type AnsweredTurn = { endOfSpeechAtMs: number; endOfTurnAtMs: number; firstTextAtMs?: number };

/** Models send faster than they speak, but only one or two answers at a time. */
const MAX_WAITING_MS = 5 * 60_000;
const MAX_ANSWERS = 10;
/** Late events are about the last ones. */
const MAX_INTERRUPTED = 100;

export type LiveAnswersOptions = {
  media: MediaSession;
  provider: string;
  speakingRate: number;
  turns: Pick<LiveTurns, 'answer'>;
  /** The turn that a new answer follows; undefined if the model speaks without being asked. */
  takeTurn: () => AnsweredTurn | undefined;
  onLatency: (latency: LiveLatency) => void;
  /** The human interrupted an answer. */
  onInterrupted: (id: string, playedMs: number) => void;
  /** An answer is no longer playing. */
  onDone: () => void;
};

/** The model's answers that are being spoken; each is recorded as a turn with the words that were heard. */
export type LiveAnswers = {
  /**
   * The answer with this id, which is started if it is new; undefined if the human interrupted it. Throws SpeechError while too much waits to
   * be played.
   */
  open(id: string): LiveAnswer | undefined;
  /** The model has sent all audio of the answer. */
  end(id: string): void;
  endAll(): void;
  /** Stops all answers because the human speaks. */
  interrupt(): void;
  /** Stops all answers because the conversation ends. */
  stop(): void;
  /** Resolves when no answer is playing any more, with whether all were heard to their end. */
  areHeard(): Promise<boolean>;
  /** Resolves when the heard words of all answers are recorded. */
  settled(): Promise<void>;
  readonly arePlaying: boolean;
  /** Some answers are playing, and the model has sent all audio of each. */
  areComplete(): boolean;
  /** An incomplete answer has no audio left to play. */
  areStalled(): boolean;
};

export function createLiveAnswers(options: LiveAnswersOptions): LiveAnswers {
  const { media, provider, speakingRate, turns, takeTurn, onLatency, onInterrupted, onDone } = options;
  const answers = new Map<string, LiveAnswer>();
  const interrupted = new Set<string>();
  const recording = new Set<Promise<void>>();
  const playing = (): LiveAnswer[] => [...answers.values()];

  const begin = (id: string): LiveAnswer => {
    const turn = turns.answer();
    const answered = takeTurn();
    let latency: LiveLatency | undefined;
    const answer = startLiveAnswer(media, {
      id,
      provider,
      sampleRate: speakingRate,
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
      onDone();
      return turn.end({ text, isInterrupted, ...(latency && { latency }) });
    });
    recording.add(recorded);
    void recorded.finally(() => recording.delete(recorded));
    return answer;
  };

  const tooMuch = (what: string): SpeechError => new SpeechError(provider, 'protocol', what);

  return {
    open: (id) => {
      if (interrupted.has(id)) return undefined;
      const waitingMs = playing().reduce((sum, answer) => sum + answer.waitingMs, 0);
      if (waitingMs > MAX_WAITING_MS) throw tooMuch('5 minutes of audio wait to be played');
      const known = answers.get(id);
      if (!known && answers.size >= MAX_ANSWERS) throw tooMuch(`${MAX_ANSWERS} answers wait to be played`);
      return known ?? begin(id);
    },
    end: (id) => answers.get(id)?.end(),
    endAll: () => {
      for (const answer of playing()) answer.end();
    },
    interrupt: () => {
      for (const [id, answer] of answers) {
        interrupted.add(id);
        keepNewest(interrupted, MAX_INTERRUPTED);
        onInterrupted(id, answer.playedMs);
        answer.interrupt();
      }
    },
    stop: () => {
      for (const answer of playing()) answer.interrupt();
    },
    areHeard: async () => {
      const spoken = await Promise.all(playing().map(({ done }) => done));
      return spoken.every(({ isInterrupted }) => !isInterrupted);
    },
    settled: async () => void (await Promise.all(recording)),
    get arePlaying() {
      return answers.size > 0;
    },
    areComplete: () => answers.size > 0 && playing().every(({ isComplete }) => isComplete),
    areStalled: () => playing().some(({ isComplete, isDry }) => !isComplete && isDry),
  };
}

/** The times may precede one another by the lateness of a tick: a frame's time is the one for which it was due. */
export function latencyOf(
  { endOfSpeechAtMs, endOfTurnAtMs, firstTextAtMs = endOfTurnAtMs }: AnsweredTurn,
  firstAudioAtMs: number,
): LiveLatency {
  const since = (atMs: number): number => Math.max(0, Math.round(atMs - endOfSpeechAtMs));
  const endOfTurnMs = since(endOfTurnAtMs);
  const firstTokenMs = Math.max(endOfTurnMs, since(firstTextAtMs));
  return { endOfTurnMs, firstTokenMs, firstAudioMs: Math.max(firstTokenMs, since(firstAudioAtMs)) };
}
