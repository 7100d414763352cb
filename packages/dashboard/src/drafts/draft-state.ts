import { merge } from './differences.ts';

/** A draft, as this browser stores it. */
export type StoredDraft<T> = {
  value: T;
  /** What the value was made from; a difference to what is stored now is a conflict. */
  base: T;
};

/** A draft that has no difference to its base is none. */
export function toDraft<T>(value: T, base: T): StoredDraft<T> | undefined {
  return isSame(value, base) ? undefined : { value, base };
}

/** `sent` was saved, and is now `saved`; what was typed in the meantime stays. */
export function settle<T extends object>(
  draft: StoredDraft<T> | undefined,
  sent: T,
  saved: T,
  toStored: (value: T) => T = (value) => value,
): StoredDraft<T> | undefined {
  const value = { ...(draft?.value ?? sent) };
  // A form that was closed meanwhile has them as they were stored, without secrets.
  const stored = toStored(sent);
  for (const field of Object.keys(value) as (keyof T)[])
    if (isSame(value[field], stored[field])) value[field] = sent[field];
  return toDraft(merge(sent, value, saved), saved);
}

/** A draft that was discarded. What was typed `since` stays. */
export function bringBack<T>(
  draft: StoredDraft<T> | undefined,
  since: StoredDraft<T> | undefined,
): StoredDraft<T> | undefined {
  return draft && since ? toDraft(merge(since.base, since.value, draft.value), draft.base) : (draft ?? since);
}

/** What of a draft may be stored: without secrets, and without what is too large. */
export function forStorage<T>(
  draft: StoredDraft<T> | undefined,
  toStored: (value: T) => T,
): StoredDraft<T> | undefined {
  return draft && toDraft(toStored(draft.value), toStored(draft.base));
}

/** A draft that an earlier version of the page may have stored: fields that it did not have are those of `saved`. */
export function restore<T extends object>(
  found: Partial<StoredDraft<T>> | undefined,
  saved: T,
): StoredDraft<T> | undefined {
  return found?.value && found.base
    ? { value: { ...saved, ...found.value }, base: { ...saved, ...found.base } }
    : undefined;
}

export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
