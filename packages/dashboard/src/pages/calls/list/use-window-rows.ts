import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefCallback, useEffect } from 'react';
import { useScrollMargin } from '../../../components/data-list/use-scroll-margin.ts';
import { PAGE_SIZE } from './call-queries.ts';

/** Browsers limit the height of a page. */
export const MAX_ROWS = 100_000;
const OVERSCAN = 6;

type Options = { total: number; rowHeight: number; onVisiblePages: (pages: number[]) => void };

/** The rows of a long list that are in or near the window, wherever a person scrolls to; their pages are reported. */
export function useWindowRows<E extends HTMLElement>({
  total,
  rowHeight,
  onVisiblePages,
}: Options): {
  rootRef: RefCallback<E>;
  indexes: number[];
  /** Pixels of the rows that are not rendered. */
  before: number;
  after: number;
} {
  const { ref: rootRef, scrollMargin } = useScrollMargin<E>();
  const count = Math.min(total, MAX_ROWS);
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollMargin,
  });
  const indexes = virtualizer.getVirtualItems().map(({ index }) => index);
  const [first = 0, last = 0] = [indexes[0], indexes.at(-1)];
  const [from, to] = [pageOf(first), pageOf(last)];
  useEffect(() => {
    onVisiblePages(Array.from({ length: to - from + 1 }, (_, i) => from + i));
  }, [from, to, onVisiblePages]);
  return {
    rootRef,
    indexes,
    before: first * rowHeight,
    after: Math.max(0, count - last - 1) * rowHeight,
  };
}

const pageOf = (index: number): number => Math.floor(index / PAGE_SIZE) + 1;
