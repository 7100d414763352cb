import type { TextPort } from '../../domain/conversation/text-port.ts';

export type HeardLines = {
  port: TextPort;
  /** The place of the message that is waited for. */
  next(): number;
  /** A message that was written; one that is here already changes nothing. */
  add(message: { seq: number; content: string }): void;
};

/** The messages of one line as an assistant hears them, from a place on: those before it were heard in another process. */
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
      // Text is there as soon as it is written.
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
