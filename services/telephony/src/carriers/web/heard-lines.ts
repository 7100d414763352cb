import type { TextLine } from '../media.ts';

export type HeardLines = {
  port: TextLine;
  /** The position of the next message. */
  next(): number;
  /** Adds a stored message; repetitions have no effect. */
  add(message: { seq: number; content: string }): void;
};

/** The human's messages of one line, from a position on: another process has handled earlier ones. */
export function createHeardLines(from: number): HeardLines {
  const waiting: string[] = [];
  let next = from;
  let deliver: ((line: string) => void) | undefined;
  return {
    next: () => next,
    add: ({ seq, content }) => {
      if (seq !== next) return;
      next += 1;
      if (deliver) deliver(content);
      else waiting.push(content);
    },
    port: {
      // Text has no playback time.
      say: async (_, signal) => signal.throwIfAborted(),
      hear: (signal) =>
        new Promise((resolve, reject) => {
          if (signal.aborted) return reject(signal.reason);
          const line = waiting.shift();
          if (line !== undefined) return resolve(line);
          const onAbort = (): void => {
            deliver = undefined;
            reject(signal.reason);
          };
          deliver = (given) => {
            deliver = undefined;
            signal.removeEventListener('abort', onAbort);
            resolve(given);
          };
          signal.addEventListener('abort', onAbort, { once: true });
        }),
    },
  };
}
