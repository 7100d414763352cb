/** Lines of text for one reader, in their order. */
export type LineQueue = {
  push(line: string): void;
  /** Resolves with the next line. Rejects with the signal's reason; no line is lost then. */
  next(signal: AbortSignal): Promise<string>;
};

export function createLineQueue(): LineQueue {
  const lines: string[] = [];
  let deliver: ((line: string) => void) | undefined;
  return {
    push: (line) => {
      if (deliver) deliver(line);
      else lines.push(line);
    },
    next: (signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const line = lines.shift();
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
  };
}
