import type { Clock } from '@parley/kit/time';
import type { Progress } from '../../domain/carrier/port.ts';
import type { TextPort } from '../../domain/conversation/text-port.ts';
import { nextMove, type Script } from './script.ts';

/** How long somebody waits for the other to begin, and thinks before an answer. Stack milliseconds. */
const WAITS_MS = 2_500;
const THINKS_MS = 500;

/** How long it takes to say something: lively speech, and nobody listens to more than a few seconds. */
export function speakingMs(text: string): number {
  return Math.min(400 + text.length * 15, 2_500);
}

export type Human = {
  port: TextPort;
  /** Begins to take part, right after the answer or where another process left off. */
  start(): void;
  stop(): void;
};

export type HumanOptions = {
  script: Script;
  progress: Progress;
  clock: Clock;
  /** The human hangs up. */
  onHangup: () => void;
};

/** The simulated human: speaks when it was spoken to, and first if nobody does. One thing at a time. */
export function createHuman({ script, progress, clock, onHangup }: HumanOptions): Human {
  let spoken = progress.humanTurns;
  let cancelMove = (): void => {};
  const lines: string[] = [];
  let deliver: ((line: string) => void) | undefined;
  let stopped = false;

  const speak = (line: string): void => {
    spoken += 1;
    if (deliver) deliver(line);
    else lines.push(line);
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
      if (progress.lastSpeaker === 'user') return;
      plan(progress.lastSpeaker === null ? WAITS_MS : THINKS_MS, null);
    },
    stop: () => {
      stopped = true;
      cancelMove();
    },
    port: {
      say: async (text, signal) => {
        cancelMove();
        await clock.sleep(speakingMs(text), signal);
        plan(THINKS_MS, text);
      },
      hear: (signal) =>
        new Promise((resolve, reject) => {
          if (signal.aborted) return reject(signal.reason);
          const line = lines.shift();
          if (line !== undefined) return resolve(line);
          const onAbort = (): void => {
            deliver = undefined;
            reject(signal.reason);
          };
          deliver = (next) => {
            deliver = undefined;
            signal.removeEventListener('abort', onAbort);
            resolve(next);
          };
          signal.addEventListener('abort', onAbort, { once: true });
        }),
    },
  };
}
