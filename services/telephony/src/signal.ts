/** How news that a request committed reaches the loops of this process: those of other processes find it by polling. */
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
