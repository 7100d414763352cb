import { realTimer } from '../time/index.ts';

/** Calls `fn` once, `delayMs` real milliseconds after the first of any number of calls. */
export function coalesce(delayMs: number, fn: () => void): () => void {
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    realTimer(delayMs, () => {
      isScheduled = false;
      fn();
    });
  };
}
