import { realTimer } from '../time/index.ts';

/**
 * Calls `fn` some real milliseconds after it was first asked to, once for all that ask meanwhile: for work that costs the same
 * for one and for many.
 */
export function coalesce(ms: number, fn: () => void): () => void {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    realTimer(ms, () => {
      isAsked = false;
      fn();
    });
  };
}
