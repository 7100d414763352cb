/** Listeners of typed events. */
export type Emitter<Events extends object> = {
  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): () => void;
  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void;
};

export function createEmitter<Events extends object>(): Emitter<Events> {
  const listeners = new Map<keyof Events, Set<(event: never) => void>>();
  return {
    on: (name, listener) => {
      const all = listeners.get(name) ?? new Set();
      listeners.set(name, all.add(listener));
      return () => void all.delete(listener);
    },
    emit: (name, event) => {
      for (const listener of listeners.get(name) ?? []) {
        try {
          (listener as (given: typeof event) => void)(event);
        } catch (err) {
          // A mistake of the page must not break its call.
          reportError(err);
        }
      }
    },
  };
}
