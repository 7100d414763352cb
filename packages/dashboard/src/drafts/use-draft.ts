import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { newId } from '../app/new-id.ts';
import {
  bringBack,
  forStorage,
  isDirty,
  isSame,
  ofVersion,
  restore,
  type Sending,
  type StoredDraft,
  settle,
  toDraft,
  withSending,
} from './draft-state.ts';
import { readDraft, writeDraft } from './draft-storage.ts';
import { openForm, useOpenForm } from './open-forms.ts';
import { useDraftKey } from './use-draft-key.ts';

export type Draft<T> = {
  /** Where it is in the browser's storage. */
  key: string;
  value: T;
  /** Changes the draft and stores it in this browser. */
  set: (next: T | ((former: T) => T)) => void;
  /** Changes some of its fields. */
  change: (fields: Partial<T>) => void;
  isDirty: boolean;
  /** The draft comes from an earlier visit. */
  isRestored: boolean;
  /** What was saved elsewhere since the draft was begun; undefined if nothing. */
  theirs: T | undefined;
  /** What the draft was made from. */
  base: T;
  /** Returns what brings it back, in the form that is open by then. What was typed since stays. */
  discard: () => () => void;
  /** After taking over another version: the new base. */
  rebase: (saved: T, value?: T) => void;
  /** `sent` was saved, and is now `saved`; what was typed in the meantime stays. True: nothing was. */
  settle: (sent: T, saved: T) => boolean;
  /** The request that sends the draft as it is now, the same one when it is sent again. */
  sending: () => Sending;
};

/** `isRestored` stays as it is unless it is given. */
type Update<T> = (
  next: (former: StoredDraft<T> | undefined) => StoredDraft<T> | undefined,
  isRestored?: boolean,
) => void;

const asItIs = <T>(value: T): T => value;

/**
 * Something that is being edited. Every change is stored in this browser until it is saved or discarded, so that nothing typed is lost
 * when the session ends, the network goes, or the dialog, page or tab is closed. `toStored` leaves out what must not be stored, such as
 * secrets; it is one function for the life of the component.
 */
export function useDraft<T extends object>(
  name: string,
  saved: T,
  toStored: (value: T) => T = asItIs,
): Draft<T> {
  const key = useDraftKey(name);
  const [state, setStored] = useState(() => restore(readDraft<StoredDraft<T>>(key), saved));
  const stored = ofVersion(state, saved);
  const [isRestored, setRestored] = useState(isDirty(stored));
  // Written at once: a state's update may not run any more when the component is closed.
  const latest = useRef(state);
  const update: Update<T> = useCallback(
    (next, isRestoredNow) => {
      const changed = next(latest.current);
      latest.current = changed;
      setStored(changed);
      setRestored((was) => isDirty(changed) && (isRestoredNow ?? was));
      writeDraft(key, forStorage(changed, toStored));
    },
    [key, toStored],
  );
  useOpenForm(key, update);
  useEffect(() => {
    // Another tab has sent or discarded what this one shows: it would be sent twice.
    const onStorage = (event: StorageEvent) => {
      if (event.key !== key || event.newValue !== null || event.oldValue === null) return;
      const removed: StoredDraft<T> = JSON.parse(event.oldValue);
      if (isSame(latest.current?.value, removed.value)) update(() => undefined);
    };
    window.addEventListener('storage', onStorage);
    return () => window.removeEventListener('storage', onStorage);
  }, [key, update]);
  /** After a request or a while: this form may be closed by then, and opened again as another one. */
  const updateLate: Update<T> = useCallback(
    (next, isRestoredNow) => {
      const open = openForm<Update<T>>(key);
      if (!open) latest.current = restore(readDraft<StoredDraft<T>>(key), saved);
      (open ?? update)(next, isRestoredNow);
    },
    [key, saved, update],
  );
  const base = stored?.base ?? saved;
  const value = stored?.value ?? saved;
  const set = useCallback(
    (next: T | ((former: T) => T)) =>
      update((latest) => {
        const former = ofVersion(latest, saved);
        const made = typeof next === 'function' ? next(former?.value ?? saved) : next;
        return toDraft(made, former?.base ?? saved);
      }),
    [update, saved],
  );
  return useMemo(
    () => ({
      key,
      value,
      base,
      set,
      change: (fields) => set((former) => ({ ...former, ...fields })),
      isDirty: isDirty(stored),
      isRestored,
      theirs: isDirty(stored) && !isSame(base, saved) ? saved : undefined,
      discard: () => {
        let former: StoredDraft<T> | undefined;
        updateLate((now) => {
          former = now;
          return undefined;
        });
        return () => updateLate((now) => bringBack(former, now), true);
      },
      rebase: (onto, next = onto) => update(() => toDraft(next, onto)),
      settle: (sent, onto) => {
        let left: StoredDraft<T> | undefined;
        updateLate((former) => {
          left = settle(former, sent, onto, toStored);
          return left;
        }, false);
        return left === undefined;
      },
      sending: () => {
        const now = ofVersion(latest.current, saved) ?? { value: saved, base: saved };
        const made = { idempotencyKey: newId(), at: Date.now() };
        const sent = withSending(now, readDraft<StoredDraft<T>>(key), made);
        update(() => sent);
        return sent.sending;
      },
    }),
    [key, value, base, set, stored, isRestored, saved, update, updateLate, toStored],
  );
}
