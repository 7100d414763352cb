import type { Heard } from '../engines/text-port.ts';
import { aborted } from './aborted.ts';

/**
 * The turns of the human, one at a time: speech from `hear`, and keys and written text, which are reported separately. Keys or text that
 * come first are the next turn; the same wait for speech continues in the following `next`.
 */
export type HumanTurns = {
  press(digits: string): void;
  write(text: string): void;
  /** The next turn; keys and text that have arrived come before speech. */
  next(signal: AbortSignal): Promise<Heard>;
  /** From now on `next` returns no turn: all are left for `take`. */
  hold(): void;
  /** Removes the turns that `next` has not returned. */
  take(): Promise<Heard[]>;
};

export function createHumanTurns(
  hear: (signal: AbortSignal) => Promise<Heard>,
  nowMs: () => number,
): HumanTurns {
  const pressed: string[] = [];
  const written: Heard[] = [];
  let speech: Promise<Heard> | undefined;
  let isHeld = false;
  let wake = (): void => {};

  const hasKeysOrText = (): boolean => pressed.length + written.length > 0;
  const takeKeys = (): Heard => {
    const text = pressedText(pressed.splice(0).join(''));
    return { ...asText(text, nowMs()), source: 'keys' };
  };
  const untilKeysOrText = (): Promise<undefined> =>
    new Promise((resolve) => {
      wake = () => resolve(undefined);
    });

  return {
    press: (digits) => {
      pressed.push(digits);
      wake();
    },
    write: (text) => {
      written.push(asText(text, nowMs()));
      wake();
    },
    hold: () => {
      isHeld = true;
    },
    take: async () => {
      // Speech that ended while the assistant answered keys or text.
      const spoken = await Promise.race([speech, undefined]).catch(() => undefined);
      const keys = pressed.length > 0 ? [takeKeys()] : [];
      return [...(spoken ? [spoken] : []), ...keys, ...written.splice(0)];
    },
    next: async (signal) => {
      signal.throwIfAborted();
      speech ??= hear(signal);
      speech.catch(() => {});
      const spoken = hasKeysOrText() ? undefined : await Promise.race([speech, untilKeysOrText()]);
      if (isHeld) return aborted(signal);
      if (spoken) {
        speech = undefined;
        return spoken;
      }
      const text = pressed.length > 0 ? undefined : written.shift();
      return text ?? takeKeys();
    },
  };
}

/** Keys as a turn. */
export const pressedText = (digits: string): string => `Pressed ${[...digits].join(' ')}.`;

export const asText = (text: string, atMs: number): Heard => ({
  text,
  source: 'text',
  confidence: null,
  startedAtMs: atMs,
  endedAtMs: atMs,
});
