/** How a request that was queued here reaches the dialer of this process, if it runs one: others find it by polling. */
export type DialSignal = {
  wake(): void;
  /** Calls `listener` at every `wake`; returns the end of it. */
  listen(listener: () => void): () => void;
};

export function createDialSignal(): DialSignal {
  const listeners = new Set<() => void>();
  return {
    wake: () => {
      for (const listener of listeners) listener();
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
