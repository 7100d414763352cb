import type { MediaClock } from '@parley/media';
import { keepNewest } from './keep-newest.ts';

/** How long the record of the assistant's turn waits for the words of the human's turn before it. */
const WORDS_MS = 2_000;
/** Late words are about the last turns. */
const MAX_KNOWN_TURNS = 100;
const SENTENCE_END = /[.!?\n\u2026\u3002]/;

/** Milliseconds from the end of the human's speech. */
export type LiveLatency = { endOfTurnMs: number; firstTokenMs: number; firstAudioMs: number };

/** The final content of a turn. */
type CorrectedTurn = { text: string; isInterrupted?: boolean; latency?: LiveLatency };

type RecordedTurn = { text: string; correct: (turn: CorrectedTurn) => void };

/** Records turns. A turn without content is removed. */
export type LiveTurnSink = {
  /** Returns a function that corrects the turn. */
  begin(role: 'user' | 'agent', text: string): (turn: CorrectedTurn) => void;
};

/** The turn of an answer. */
export type AnswerTurn = {
  /** Call when it becomes audible. */
  begin(): void;
  /** All its words so far. */
  words(text: string): void;
  /** Sets what was finally heard. Resolves when that is recorded. */
  end(heard: CorrectedTurn): Promise<void>;
};

/**
 * Keeps the turns of both sides in order: the words of the human arrive late, often after the answer to them has begun, or never if
 * the transcription fails.
 */
export type LiveTurns = {
  /** The human's turn is over; its words may still arrive. */
  ended(turn: string): void;
  heard(turn: string, text: string, isFinal: boolean): void;
  answer(): AnswerTurn;
  /** The model has begun to answer what the human has said so far. */
  answered(): void;
  /** Resolves when the words of the human so far are recorded, or the wait for them has timed out. */
  settled(): Promise<void>;
  /**
   * Records what has arrived: no more words follow. `isRepeated`: another connection hears the turns without an answer again; its words correct
   * these turns. Undefined: the conversation is over, and its unfinished answers get what was heard of them.
   */
  finish(isRepeated?: boolean): void;
  /** Words of a turn that isn't over. */
  readonly hasOpenWords: boolean;
};

export function createLiveTurns({ begin }: LiveTurnSink, clock: Pick<MediaClock, 'timer'>): LiveTurns {
  const waiting = new Map<string, { promise: Promise<void>; resolve: () => void }>();
  const open = new Map<string, string>();
  const recorded = new Map<string, RecordedTurn>();
  /** Turns of the human without an answer; those of them that another connection hears again. */
  let unanswered: RecordedTurn[] = [];
  let repeated: RecordedTurn[] = [];
  /** Turns whose words come after the beginning of the answer. */
  const late = new Set<string>();
  /** Record the words so far of the answers that are not over. */
  const answering = new Set<() => void>();

  const settled = async (): Promise<void> => {
    await Promise.all([...waiting.values()].map(({ promise }) => promise));
  };
  const record = (turn: string, text: string): void => {
    open.delete(turn);
    const known = recorded.get(turn) ?? (text === '' ? undefined : repeated.shift());
    if (known && known.text !== text) known.correct({ text });
    if (known) known.text = text;
    if (!recorded.has(turn) && text !== '') {
      const entry = known ?? { text, correct: begin('user', text) };
      recorded.set(turn, entry);
      keepNewest(recorded, MAX_KNOWN_TURNS);
      if (!late.delete(turn)) unanswered = [...unanswered, entry].slice(-MAX_KNOWN_TURNS);
    }
    waiting.get(turn)?.resolve();
  };

  return {
    settled,
    ended: (turn) => {
      if (waiting.has(turn) || recorded.has(turn) || waiting.size >= MAX_KNOWN_TURNS) return;
      let resolve = (): void => {};
      const promise = new Promise<void>((settle) => {
        resolve = settle;
      });
      const cancel = clock.timer(WORDS_MS, () => resolve());
      waiting.set(turn, { promise, resolve });
      void promise.then(() => {
        cancel();
        waiting.delete(turn);
      });
    },
    heard: (turn, text, isFinal) => {
      if (isFinal) record(turn, text);
      else {
        open.set(turn, text);
        keepNewest(open, MAX_KNOWN_TURNS);
      }
    },
    answer: () => {
      let text = '';
      let isBegun = false;
      let isOver = false;
      let recording: Promise<(turn: CorrectedTurn) => void> | undefined;
      let correct: ((turn: CorrectedTurn) => void) | undefined;
      const start = (): void => {
        if (!isBegun || text.trim() === '') return;
        recording ??= settled().then(() => {
          correct = begin('agent', text.trim());
          return correct;
        });
      };
      const recordWords = (): void => correct?.({ text: text.trim() });
      answering.add(recordWords);
      return {
        begin: () => {
          isBegun = true;
          start();
        },
        words: (all) => {
          if (isOver) return;
          const more = all.slice(text.length);
          text = all;
          start();
          if (SENTENCE_END.test(more)) recordWords();
        },
        end: async (heard) => {
          isOver = true;
          answering.delete(recordWords);
          (await recording)?.(heard);
        },
      };
    },
    answered: () => {
      for (const turn of waiting.keys()) if (!recorded.has(turn)) late.add(turn);
      keepNewest(late, MAX_KNOWN_TURNS);
      unanswered = [];
      repeated = [];
    },
    finish: (isRepeated) => {
      for (const [turn, text] of open) record(turn, text);
      for (const { resolve } of waiting.values()) resolve();
      if (isRepeated !== undefined) for (const recordWords of answering) recordWords();
      // Those that were heard again come first, then those of an earlier loss that were not.
      repeated = isRepeated ? [...unanswered, ...repeated] : [];
      unanswered = [];
    },
    get hasOpenWords() {
      return open.size > 0;
    },
  };
}
