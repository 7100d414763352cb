import { untilAborted } from './waiting.ts';

/** Audio between a socket and a listener that takes it in real time. Beyond `maxSamples` the socket is paused. */
export type AudioQueue = {
  push(samples: Int16Array): void;
  end(): void;
  fail(reason: unknown): void;
  read(signal: AbortSignal): AsyncGenerator<Int16Array, void>;
};

export function createAudioQueue(maxSamples: number, onFull: (isFull: boolean) => void): AudioQueue {
  const waiting: Int16Array[] = [];
  let size = 0;
  let isFull = false;
  let outcome: { reason?: unknown } | undefined;
  let wake = (): void => {};

  const change = (): void => {
    wake();
    if (isFull === size > maxSamples) return;
    isFull = size > maxSamples;
    onFull(isFull);
  };
  const finish = (given: { reason?: unknown }): void => {
    outcome ??= given;
    wake();
  };

  return {
    push: (samples) => {
      waiting.push(samples);
      size += samples.length;
      change();
    },
    end: () => finish({}),
    fail: (reason) => finish({ reason }),
    read: async function* (signal) {
      for (;;) {
        signal.throwIfAborted();
        const samples = waiting.shift();
        if (samples) {
          size -= samples.length;
          change();
          yield samples;
        } else if (outcome) {
          if ('reason' in outcome) throw outcome.reason;
          return;
        } else {
          const more = new Promise<void>((resolve) => {
            wake = resolve;
          });
          await untilAborted(more, signal);
        }
      }
    },
  };
}
