/** A turn of the human. */
export type Heard = {
  /** The words, or the keys. */
  text: string;
  source: 'speech' | 'keys';
  /** 0 to 1; null: unknown. */
  confidence: number | null;
  startedAtMs: number;
  /** End of the speech or of the last key press, which is before the turn is known. */
  endedAtMs: number;
};

/** Turns in the order in which they ended. */
export type TurnQueue = {
  add(turn: Heard): void;
  /** Adds no more turns: after those in the queue `next` rejects with this error. */
  fail(error: unknown): void;
  next(signal: AbortSignal): Promise<Heard>;
};

export function createTurnQueue(): TurnQueue {
  const turns: Heard[] = [];
  const waiting = new Set<{ resolve: (turn: Heard) => void; reject: (error: unknown) => void }>();
  let failure: { error: unknown } | undefined;

  return {
    add(turn) {
      const [first] = waiting;
      if (!first) {
        turns.push(turn);
        return;
      }
      waiting.delete(first);
      first.resolve(turn);
    },
    fail(error) {
      failure ??= { error };
      for (const { reject } of waiting) reject(error);
      waiting.clear();
    },
    async next(signal) {
      signal.throwIfAborted();
      const turn = turns.shift();
      if (turn) return turn;
      if (failure) throw failure.error;
      let waiter: { resolve: (turn: Heard) => void; reject: (error: unknown) => void } | undefined;
      let abort = (): void => undefined;
      try {
        return await new Promise<Heard>((resolve, reject) => {
          waiter = { resolve, reject };
          waiting.add(waiter);
          abort = () => reject(signal.reason);
          signal.addEventListener('abort', abort, { once: true });
        });
      } finally {
        signal.removeEventListener('abort', abort);
        if (waiter) waiting.delete(waiter);
      }
    },
  };
}
