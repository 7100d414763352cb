import { useCallback, useMemo, useState } from 'react';
import { merge } from './differences.ts';
import { readDraft, writeDraft } from './draft-storage.ts';
import { useDraftKey } from './use-draft-key.ts';

type Stored<T> = {
  value: T;
  /** What the value was made from; a difference to what is stored now is a conflict. */
  base: T;
};

export type Draft<T> = {
  value: T;
  /** Changes the draft and stores it in this browser. */
  set: (next: T | ((former: T) => T)) => void;
  isDirty: boolean;
  /** The draft comes from an earlier visit. */
  isRestored: boolean;
  /** What was saved elsewhere since the draft was begun; undefined if nothing. */
  theirs: T | undefined;
  /** What the draft was made from. */
  base: T;
  discard: () => void;
  /** After taking over another version: the new base. */
  rebase: (saved: T, value?: T) => void;
  /** `sent` was saved, and is now `saved`; what was typed in the meantime stays. */
  settle: (sent: T, saved: T) => void;
};

/**
 * Something that is being edited. Every change is stored in this browser until it is saved or discarded, so that nothing typed is lost
 * when the session ends, the network goes or the tab is closed.
 */
export function useDraft<T>(name: string, saved: T): Draft<T> {
  const key = useDraftKey(name);
  const [stored, setStored] = useState(() => readDraft<Stored<T>>(key));
  const [isRestored, setRestored] = useState(stored !== undefined);
  const write = useCallback(
    (next: Stored<T> | undefined) => {
      setStored(next);
      writeDraft(key, next);
    },
    [key],
  );
  const base = stored?.base ?? saved;
  const value = stored?.value ?? saved;
  const set = useCallback(
    (next: T | ((former: T) => T)) =>
      setStored((former) => {
        const made = typeof next === 'function' ? (next as (former: T) => T)(former?.value ?? saved) : next;
        const from = former?.base ?? saved;
        const kept = isSame(made, from) ? undefined : { value: made, base: from };
        writeDraft(key, kept);
        return kept;
      }),
    [key, saved],
  );
  return useMemo(
    () => ({
      value,
      base,
      set,
      isDirty: stored !== undefined,
      isRestored: isRestored && stored !== undefined,
      theirs: stored !== undefined && !isSame(base, saved) ? saved : undefined,
      discard: () => {
        write(undefined);
        setRestored(false);
      },
      rebase: (onto, next = onto) => {
        write(isSame(next, onto) ? undefined : { value: next, base: onto });
        setRestored(false);
      },
      settle: (sent, onto) => {
        setStored((former) => {
          const next = merge(sent, former?.value ?? sent, onto);
          const kept = isSame(next, onto) ? undefined : { value: next, base: onto };
          writeDraft(key, kept);
          return kept;
        });
        setRestored(false);
      },
    }),
    [value, base, set, stored, isRestored, saved, write, key],
  );
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
