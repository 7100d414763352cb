import { useEffect } from 'react';
import { draftKeys, removeDraftsOf, writeDraft } from './draft-storage.ts';
import { useDraftKey } from './use-draft-key.ts';

/** Removes the drafts of something when it is known to be gone: nothing leads to them any more [dashboard.73]. */
export function useGoneDrafts(name: string, isGone: boolean): void {
  const key = useDraftKey(name);
  useEffect(() => {
    if (isGone) removeDraftsOf(key);
  }, [key, isGone]);
}

/** The same for the parts of something; `known` are the names of those that exist, undefined until they are read. */
export function useGonePartDrafts(name: string, known: readonly string[] | undefined): void {
  const beginning = `${useDraftKey(name)}/`;
  useEffect(() => {
    if (known === undefined) return;
    for (const key of draftKeys(beginning))
      if (!known.includes(key.slice(beginning.length))) writeDraft(key, undefined);
  }, [beginning, known]);
}
