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
  /** From now on `next` resolves with no turn: they are left for `drain`. */
  hold(): void;
  /** Removes the turns that `next` has not returned. */
  drain(): Heard[];
};

export function createTurnQueue(): TurnQueue {
  const turns: Heard[] = [];
  const waiting = new Set<{ resolve: (turn: Heard) => void; reject: (error: unknown) => void }>();
  let isHeld = false;
  let failure: { error: unknown } | undefined;

  return {
    add(turn) {
      const [first] = waiting;
      if (!first || isHeld) {
        turns.push(turn);
        return;
      }
      waiting.delete(first);
      first.resolve(turn);
    },
    hold() {
      isHeld = true;
    },
    drain: () => turns.splice(0),
    fail(error) {
      failure ??= { error };
      for (const { reject } of waiting) reject(error);
      waiting.clear();
    },
    async next(signal) {
      signal.throwIfAborted();
      const turn = isHeld ? undefined : turns.shift();
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
