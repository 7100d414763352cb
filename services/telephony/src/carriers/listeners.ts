import type { LegEvent, LegListener } from './call-control.ts';

/** The listeners of a process, by the reference of their leg. */
export type Listeners = {
  watch(reference: string, listener: LegListener): () => void;
  emit(reference: string, event: LegEvent): void;
};

export function createListeners(): Listeners {
  const listeners = new Map<string, Set<LegListener>>();
  return {
    watch: (reference, listener) => {
      const watching = listeners.get(reference) ?? new Set();
      listeners.set(reference, watching.add(listener));
      return () => {
        watching.delete(listener);
        if (watching.size === 0) listeners.delete(reference);
      };
    },
    emit: (reference, event) => {
      for (const listen of listeners.get(reference) ?? []) listen(event);
    },
  };
}
