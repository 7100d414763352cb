import { merge } from './differences.ts';

/** A draft, as this browser stores it. */
export type StoredDraft<T> = {
  value: T;
  /** What the value was made from; a difference to what is stored now is a conflict. */
  base: T;
  /** The request that sends it, until it is changed or its response is there. */
  sending?: Sending;
};

/** A draft that is sent again, after its response was lost, is the same request: nothing is created twice [dashboard.35]. */
export type Sending = { idempotencyKey: string; at: number };

/** After that the draft is sent as another request: the platform remembers keys for a day [general.20]. */
const MAX_SENDING_MS = 23 * 3_600_000;

/** Whether something was typed. */
export function isDirty<T>(draft: StoredDraft<T> | undefined): boolean {
  // Only one that is sent may be as its base.
  return draft !== undefined && (draft.sending === undefined || !isSame(draft.value, draft.base));
}

/** A draft in which nothing was typed is only a draft of the version that it was sent with. */
export function ofVersion<T>(draft: StoredDraft<T> | undefined, saved: T): StoredDraft<T> | undefined {
  return isDirty(draft) || isSame(draft?.base, saved) ? draft : undefined;
}

/** The draft as it is sent now. `stored` is that of the browser: another tab may have begun to send the same. */
export function withSending<T>(
  draft: StoredDraft<T>,
  stored: StoredDraft<T> | undefined,
  made: Sending,
): StoredDraft<T> & { sending: Sending } {
  const known = draft.sending ?? (isSame(stored?.value, draft.value) ? stored?.sending : undefined);
  const isRecent = known !== undefined && made.at - known.at < MAX_SENDING_MS;
  return { ...draft, sending: isRecent ? known : made };
}

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
  if (!draft) return undefined;
  const { value, base, sending } = draft;
  const stored = toStored(value);
  // Without what is not stored it would be another request.
  return sending && isSame(stored, value) ? { value, base, sending } : toDraft(stored, toStored(base));
}

/** A draft that an earlier version of the page may have stored: fields that it did not have are those of `saved`. */
export function restore<T extends object>(
  found: Partial<StoredDraft<T>> | undefined,
  saved: T,
): StoredDraft<T> | undefined {
  if (!found?.value || !found.base) return undefined;
  const { value, base, sending } = found;
  return { value: { ...saved, ...value }, base: { ...saved, ...base }, ...(sending ? { sending } : {}) };
}

export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
