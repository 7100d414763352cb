import { useLayoutEffect } from 'react';

/** Changes what an open form shows. */
type Change = (...args: never[]) => void;

const open = new Map<string, Change>();

/**
 * While the form is open, `openForm` finds what changes it, by the key of its draft. A request or **Undo** may end after its form was
 * closed and opened again: what it changes then is in the form that is open now.
 */
export function useOpenForm(key: string, change: Change): void {
  // Before any other effect, which may change the draft already.
  useLayoutEffect(() => {
    open.set(key, change);
    return () => {
      if (open.get(key) === change) open.delete(key);
    };
  }, [key, change]);
}

/** All forms of a key are of one kind, so that what changes them has one type. */
export function openForm<Of extends Change>(key: string): Of | undefined {
  return open.get(key) as Of | undefined;
}
