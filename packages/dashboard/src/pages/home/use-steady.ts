import { useState } from 'react';
import { type Held, steady } from './steady.ts';

type Steady<Item> = {
  /** Those of the first read, or of the last `showNewest`, as they are now. */
  shown: readonly Item[];
  /** Some have come since. */
  hasNew: boolean;
  /** Some are gone since. */
  hasGone: boolean;
  showNewest: () => void;
};

/** Items above other content, which stay until the person asks for others: one more would move everything below [dashboard.76]. */
export function useSteady<Item>(
  items: readonly Item[] | undefined,
  keyOf: (item: Item) => string,
  /** False while what an earlier visit has read is read again: that is not kept. */
  isSettled: boolean,
): Steady<Item> {
  const [held, setHeld] = useState<Held<Item>>();
  const next = items && steady(held, items, keyOf);
  if (next && next.held !== held && (held || isSettled)) setHeld(next.held);
  return {
    shown: next ? [...next.held.values()] : [],
    hasNew: next?.hasNew ?? false,
    hasGone: next?.hasGone ?? false,
    showNewest: () => setHeld(undefined),
  };
}
