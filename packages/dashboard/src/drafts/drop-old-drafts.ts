import { draftKeys, readDraft, writeDraft } from './draft-storage.ts';

/** A draft that was not changed for so long is removed. */
const MAX_AGE_MS = 30 * 86_400_000;

/** When the dashboard is opened, of all people: a browser keeps nothing for ever [dashboard.73]. */
export function dropOldDrafts(now = Date.now()): void {
  for (const key of draftKeys()) {
    const draft = readDraft<{ at?: number }>(key);
    const ageMs = now - (draft?.at ?? Number.NaN);
    if (draft === undefined || ageMs > MAX_AGE_MS) writeDraft(key, undefined);
    // Of an earlier version of the page, or of a clock that was wrong: its time begins now.
    else if (!(ageMs >= 0)) writeDraft(key, draft, now);
  }
}
