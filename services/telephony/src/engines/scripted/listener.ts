import type { TextPort } from '../text-port.ts';

type Heard<R> = { type: 'line'; line: string } | { type: 'result'; result: R };

/** Waits for the human and for running tools, whichever comes first. */
export type Listener<R> = {
  expect(result: Promise<R>): void;
  /** Tool results come before lines. */
  next(): Promise<Heard<R>>;
};

export function createListener<R>(port: TextPort, signal: AbortSignal): Listener<R> {
  const ready: R[] = [];
  let wake = (): void => {};
  /** A pending wait for the human that survives tool results, so no line is lost. */
  let hearing: Promise<string> | undefined;

  const hear = (): Promise<string> => {
    hearing ??= port.hear(signal).then(({ text }) => text);
    hearing.catch(() => {});
    return hearing;
  };

  return {
    expect: (result) => {
      result.then(
        (value) => {
          ready.push(value);
          wake();
        },
        // The conversation ended: listeners are notified by the signal.
        () => {},
      );
    },
    next: async () => {
      const first = ready.shift();
      if (first !== undefined) return { type: 'result', result: first };
      const woken = new Promise<'woken'>((resolve) => {
        wake = () => resolve('woken');
      });
      const heard = await Promise.race([hear().then((line) => ({ line })), woken]);
      if (heard !== 'woken') {
        hearing = undefined;
        return { type: 'line', line: heard.line };
      }
      return { type: 'result', result: ready.shift() as R };
    },
  };
}
