import { type RecordDeps, recordCall } from './record-due.ts';

export type RecordingRounds = {
  /** Begins what is due, as far as there is room; it goes on beside the next rounds. */
  begin(signal: AbortSignal): Promise<void>;
  /** Resolves when nothing is under way any more. */
  drained(): Promise<void>;
};

/** A few recordings at once: a long one keeps nobody else waiting. `onDone` comes after each. */
export function createRecordingRounds(
  deps: RecordDeps,
  { atOnce, onDone }: { atOnce: number; onDone: () => void },
): RecordingRounds {
  const underWay = new Set<Promise<void>>();
  return {
    begin: async (signal) => {
      const room = atOnce - underWay.size;
      if (room <= 0) return;
      for (const due of await deps.queue.claim(deps.clock.now(), room)) {
        const made = recordCall(deps, due, signal).finally(() => {
          underWay.delete(made);
          onDone();
        });
        underWay.add(made);
      }
    },
    drained: async () => {
      await Promise.all(underWay);
    },
  };
}
