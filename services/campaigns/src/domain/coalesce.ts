import { realTimer } from '@parley/kit/time';

/** Calls `fn` some real milliseconds after it was first asked to, once for all that ask meanwhile. */
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
