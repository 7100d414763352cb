/** Wakes a loop of the same process at once. What other processes have committed, the API's included, it finds by polling. */
export type Signal = {
  wake(): void;
  /** Calls `listener` at every `wake`; returns the function that removes it. */
  listen(listener: () => void): () => void;
};

export function createSignal(): Signal {
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
