import type { Clock } from '@parley/kit/time';
import type { LegSoFar } from '../call-control.ts';
import { createLineQueue } from '../line-queue.ts';
import type { TextLine } from '../media.ts';
import { nextMove, type Script } from './script.ts';

/** How long the person waits for the other side to begin, and pauses before answering. Platform time. */
const START_AFTER_MS = 2_500;
const PAUSE_MS = 500;

/** Duration of an utterance, at most 2.5 s. */
export function speakingMs(text: string): number {
  return Math.min(400 + text.length * 15, 2_500);
}

export type Human = {
  port: TextLine;
  /** Starts after the answer, or continues where another process stopped. */
  start(): void;
  stop(): void;
};

export type HumanOptions = {
  script: Script;
  soFar: LegSoFar;
  clock: Clock;
  /** Called when the person hangs up. */
  onHangup: () => void;
};

/** The simulated person: answers what it hears, and begins if the other side is silent. One utterance at a time. */
export function createHuman({ script, soFar, clock, onHangup }: HumanOptions): Human {
  let spoken = soFar.humanTurns;
  let cancelMove = (): void => {};
  const lines = createLineQueue();
  let stopped = false;

  const speak = (line: string): void => {
    spoken += 1;
    lines.push(line);
  };

  const plan = (afterMs: number, heard: string | null): void => {
    cancelMove();
    if (stopped) return;
    const move = nextMove(script, spoken, heard);
    if (move.type === 'wait') return;
    const act = move.type === 'say' ? () => speak(move.line) : onHangup;
    const takesMs = move.type === 'say' ? speakingMs(move.line) : 0;
    cancelMove = clock.timer(afterMs + takesMs, act);
  };

  return {
    start: () => {
      if (soFar.lastSpeaker === 'user') return;
      plan(soFar.lastSpeaker === null ? START_AFTER_MS : PAUSE_MS, null);
    },
    stop: () => {
      stopped = true;
      cancelMove();
    },
    port: {
      say: async (text, signal) => {
        cancelMove();
        await clock.sleep(speakingMs(text), signal);
        plan(PAUSE_MS, text);
      },
      hear: lines.next,
    },
  };
}
