import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useState } from 'react';
import { type CheckedList, checkContacts } from './check-contacts.ts';
import { type ColumnUse, guessColumns, hasTitles, titlesOf } from './contact-columns.ts';
import { readRows } from './read-list.ts';

/** A list as it came: text, and the name of its file if there was one. */
export type Source = { text: string; fileName: string | null };

export type ContactList = {
  source: Source | undefined;
  setSource: (source: Source | undefined) => void;
  rows: readonly (readonly string[])[];
  titles: readonly string[];
  columns: readonly ColumnUse[];
  setColumn: (index: number, use: ColumnUse) => void;
  isTitled: boolean;
  setTitled: (isTitled: boolean) => void;
  countryCode: string;
  setCountryCode: (code: string) => void;
  correct: (row: number, number: string) => void;
  skipDuplicates: boolean;
  setSkipDuplicates: (skip: boolean) => void;
  checked: CheckedList;
  isReading: boolean;
  error: unknown;
};

const NOTHING: CheckedList = { contacts: [], bad: [], repeated: 0 };
const NO_ROWS: readonly (readonly string[])[] = [];

/** A list of contacts from CSV text: how its columns are used, and what is wrong with which rows. */
export function useContactList(
  placeholders: readonly string[],
  [source, setStoredSource]: [Source | undefined, (source: Source | undefined) => void],
): ContactList {
  const [chosen, setChosen] = useState<ReadonlyMap<number, ColumnUse>>(new Map());
  const [titled, setTitled] = useState<boolean>();
  const [countryCode, setCountryCode] = useState('');
  const [corrections, setCorrections] = useState<ReadonlyMap<number, string>>(new Map());
  const [skipDuplicates, setSkipDuplicates] = useState(true);

  const reading = useQuery({
    queryKey: ['contact-list', source?.text],
    queryFn: () => readRows(source?.text ?? ''),
    enabled: source !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    structuralSharing: false,
  });
  const rows = source === undefined ? NO_ROWS : (reading.data ?? NO_ROWS);
  const isTitled = titled ?? hasTitles(rows);
  const titles = useMemo(() => titlesOf(rows, isTitled), [rows, isTitled]);
  const columns = useMemo(() => {
    const guessed = guessColumns(titles, isTitled ? rows.slice(1, 200) : rows.slice(0, 200), placeholders);
    return guessed.map((use, i) => chosen.get(i) ?? use);
  }, [titles, rows, isTitled, placeholders, chosen]);

  const input = useMemo(
    () => ({ rows, skip: isTitled ? 1 : 0, columns, countryCode, corrections }),
    [rows, isTitled, columns, countryCode, corrections],
  );
  const settled = useDeferredValue(input);
  const checked = useMemo(() => (settled.rows.length === 0 ? NOTHING : checkContacts(settled)), [settled]);

  const startOver = (next: Source | undefined) => {
    setStoredSource(next);
    setChosen(new Map());
    setCorrections(new Map());
    setTitled(undefined);
  };
  return {
    source,
    setSource: startOver,
    rows,
    titles,
    columns,
    setColumn: (index, use) => setChosen((former) => withUse(former, index, use, columns)),
    isTitled,
    setTitled,
    countryCode,
    setCountryCode,
    correct: (row, number) => setCorrections((former) => new Map(former).set(row, number)),
    skipDuplicates,
    setSkipDuplicates,
    checked,
    isReading: source !== undefined && reading.isPending,
    error: reading.error,
  };
}

/** There is one number and one name: the column that had this use before becomes nothing. */
function withUse(
  chosen: ReadonlyMap<number, ColumnUse>,
  index: number,
  use: ColumnUse,
  columns: readonly ColumnUse[],
): Map<number, ColumnUse> {
  const next = new Map(chosen).set(index, use);
  if (use.use === 'phone' || use.use === 'name')
    columns.forEach((other, i) => {
      if (i !== index && other.use === use.use) next.set(i, { use: 'ignore' });
    });
  return next;
}
