import { useState } from 'react';
import { useDraft } from '../../../drafts/use-draft.ts';
import type { Source } from './use-contact-list.ts';

/** A larger list is not stored in this browser: it is chosen again after the page was left. */
const MAX_STORED_CHARACTERS = 300_000;
const NO_SOURCE: { source: Source | null } = { source: null };

/** The list of contacts as typed or chosen; stored in this browser unless it is large. */
export function useStoredSource() {
  const stored = useDraft('campaign:new:list', NO_SOURCE);
  const [large, setLarge] = useState<Source>();
  const setSource = (source: Source | undefined) => {
    const isLarge = source !== undefined && source.text.length > MAX_STORED_CHARACTERS;
    setLarge(isLarge ? source : undefined);
    stored.set({ source: isLarge ? null : (source ?? null) });
  };
  const state: [Source | undefined, typeof setSource] = [
    large ?? stored.value.source ?? undefined,
    setSource,
  ];
  return {
    state,
    discard: () => {
      setLarge(undefined);
      stored.discard();
    },
  };
}
