import { useLocalStorage } from '@mantine/hooks';
import { useMemo } from 'react';
import type { Column } from './column.ts';

export type ChosenColumns<Item> = {
  shown: readonly Column<Item>[];
  isShown: (id: string) => boolean;
  toggle: (id: string) => void;
  reset: () => void;
};

type Choice = Record<string, boolean>;
const NOTHING: Choice = {};

/** The columns that the person has chosen, kept in this browser. The first column always stays. */
export function useColumns<Item>(name: string, columns: readonly Column<Item>[]): ChosenColumns<Item> {
  const [choice, setChoice] = useLocalStorage<Choice>({
    key: `parley:columns:${name}`,
    defaultValue: NOTHING,
    getInitialValueInEffect: false,
  });
  return useMemo(() => {
    const isShown = (id: string) => choice[id] ?? !columns.find((column) => column.id === id)?.isOptional;
    return {
      shown: columns.filter((column, i) => i === 0 || isShown(column.id)),
      isShown,
      toggle: (id) => setChoice((former) => ({ ...former, [id]: !isShown(id) })),
      reset: () => setChoice(NOTHING),
    };
  }, [columns, choice, setChoice]);
}
