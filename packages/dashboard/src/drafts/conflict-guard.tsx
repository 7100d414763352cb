import { useEffect, useState } from 'react';
import { lazyDialog } from '../components/lazy-component.tsx';
import { clashes, merge } from './differences.ts';
import type { Draft } from './use-draft.ts';

const ConflictDialog = lazyDialog(() => import('./conflict-dialog.tsx'), 'ConflictDialog');

type Props<T> = {
  draft: Draft<T>;
  /** "this number" */
  what: string;
};

/**
 * What another person has saved while a draft is edited: changes of other fields are added to it, and where both changed one field, the
 * person is asked once for each version [dashboard.61].
 */
export function ConflictGuard<T>({ draft, what }: Props<T>) {
  const { theirs, base, value, rebase } = draft;
  const [seen, setSeen] = useState<T>();
  const isClash = theirs !== undefined && clashes(base, value, theirs).length > 0;
  useEffect(() => {
    if (theirs !== undefined && !isClash) rebase(theirs, merge(base, value, theirs));
  }, [theirs, isClash, rebase, base, value]);
  if (!isClash || JSON.stringify(seen) === JSON.stringify(theirs)) return null;
  return (
    <ConflictDialog
      base={base}
      mine={value}
      theirs={theirs}
      what={what}
      onTakeTheirs={() => rebase(theirs)}
      onKeepMine={() => rebase(theirs, merge(base, value, theirs))}
      onClose={() => setSeen(theirs)}
    />
  );
}
