/**
 * Wakes loops of this process as soon as there may be work for them. An optimization: the loops also poll, which finds the
 * work that other processes committed.
 */
export type WakeUp = {
  wake(): void;
  /** Calls `listener` at every `wake`; returns the function that removes it. */
  onWake(listener: () => void): () => void;
};

export function createWakeUp(): WakeUp {
  const listeners = new Set<() => void>();
  return {
    wake: () => {
      for (const listener of listeners) listener();
    },
    onWake: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
