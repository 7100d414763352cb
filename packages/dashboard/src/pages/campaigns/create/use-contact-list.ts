import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo } from 'react';
import { type Draft, useDraft } from '../../../drafts/use-draft.ts';
import { type CheckedList, checkContacts } from './check-contacts.ts';
import { type ColumnUse, guessColumns, hasTitles, titlesOf } from './contact-columns.ts';
import { readRows } from './read-list.ts';

/** A list as it came: text, and the name of its file if there was one. */
export type Source = { text: string; fileName: string | null };

/** What a person has chosen and typed for a list. */
export type ListDraft = {
  source: Source | null;
  /** Typed, and not used yet. */
  pasted: string;
  /** By the index of the column. */
  chosen: Readonly<Record<number, ColumnUse>>;
  /** Null: as the list looks. */
  isTitled: boolean | null;
  countryCode: string;
  /** Numbers that the person corrected, by row. */
  corrections: Readonly<Record<number, string>>;
  skipDuplicates: boolean;
};

export type ContactList = Omit<ListDraft, 'isTitled'> & {
  draft: Draft<ListDraft>;
  setSource: (source: Source | null) => void;
  rows: readonly (readonly string[])[];
  titles: readonly string[];
  columns: readonly ColumnUse[];
  setColumn: (index: number, use: ColumnUse) => void;
  isTitled: boolean;
  correct: (row: number, number: string) => void;
  checked: CheckedList;
  isReading: boolean;
  error: unknown;
};

export const NO_LIST: ListDraft = {
  source: null,
  pasted: '',
  chosen: {},
  isTitled: null,
  countryCode: '',
  corrections: {},
  skipDuplicates: true,
};
const NOTHING: CheckedList = { contacts: [], bad: [], repeated: 0 };
const NO_ROWS: readonly (readonly string[])[] = [];

/** A larger list is not stored in this browser: it is chosen again after the page was left. */
const MAX_STORED_CHARACTERS = 300_000;
const toStored = (list: ListDraft): ListDraft =>
  (list.source?.text ?? list.pasted).length > MAX_STORED_CHARACTERS ? NO_LIST : list;

/**
 * A list of contacts from CSV text: how its columns are used, and what is wrong with which rows. What was chosen and typed for it is a
 * draft of this name.
 */
export function useContactList(name: string, placeholders: readonly string[]): ContactList {
  const draft = useDraft(name, NO_LIST, toStored);
  const { source, chosen, isTitled: titled, countryCode, corrections } = draft.value;
  const reading = useQuery({
    queryKey: ['contact-list', source?.text],
    queryFn: () => readRows(source?.text ?? ''),
    enabled: source !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    structuralSharing: false,
  });
  const rows = source === null ? NO_ROWS : (reading.data ?? NO_ROWS);
  const isTitled = titled ?? hasTitles(rows);
  const titles = useMemo(() => titlesOf(rows, isTitled), [rows, isTitled]);
  const columns = useMemo(() => {
    const guessed = guessColumns(titles, isTitled ? rows.slice(1, 200) : rows.slice(0, 200), placeholders);
    return guessed.map((use, i) => chosen[i] ?? use);
  }, [titles, rows, isTitled, placeholders, chosen]);

  const input = useMemo(
    () => ({ rows, skip: isTitled ? 1 : 0, columns, countryCode, corrections }),
    [rows, isTitled, columns, countryCode, corrections],
  );
  const settled = useDeferredValue(input);
  const checked = useMemo(() => (settled.rows.length === 0 ? NOTHING : checkContacts(settled)), [settled]);

  return {
    ...draft.value,
    draft,
    setSource: (next) =>
      draft.change({
        source: next,
        // Pasted rows that are not used after all are in the field again.
        pasted: next === null && source?.fileName === null ? source.text : '',
        chosen: {},
        corrections: {},
        isTitled: null,
      }),
    rows,
    titles,
    columns,
    setColumn: (index, use) => draft.change({ chosen: withUse(chosen, index, use, columns) }),
    isTitled,
    correct: (row, number) => draft.change({ corrections: { ...corrections, [row]: number } }),
    checked,
    isReading: source !== null && reading.isPending,
    error: reading.error,
  };
}

/** There is one number and one name: the column that had this use before becomes nothing. */
function withUse(
  chosen: ListDraft['chosen'],
  index: number,
  use: ColumnUse,
  columns: readonly ColumnUse[],
): ListDraft['chosen'] {
  const next: Record<number, ColumnUse> = { ...chosen, [index]: use };
  if (use.use === 'phone' || use.use === 'name')
    columns.forEach((other, i) => {
      if (i !== index && other.use === use.use) next[i] = { use: 'ignore' };
    });
  return next;
}
