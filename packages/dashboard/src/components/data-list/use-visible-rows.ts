import { useWindowVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type RefCallback, useEffect } from 'react';
import type { List } from './use-list.ts';
import { useScrollMargin } from './use-scroll-margin.ts';

const OVERSCAN = 6;

/** The rows of a list that are in or near the window. Requests the next page when the last rows come near. */
export function useVisibleRows<Item, E extends HTMLElement>(
  list: List<Item>,
  rowHeight: number,
): {
  rootRef: RefCallback<E>;
  virtualizer: Virtualizer<Window, Element>;
  before: number;
  after: number;
} {
  const { ref: rootRef, scrollMargin } = useScrollMargin<E>();
  const virtualizer = useWindowVirtualizer({
    count: list.items.length,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollMargin,
  });
  const rows = virtualizer.getVirtualItems();
  const last = rows.at(-1);
  const isNearEnd = last !== undefined && last.index >= list.items.length - OVERSCAN - 1;
  const { hasMore, isLoadingMore, loadMore } = list;
  useEffect(() => {
    if (isNearEnd && hasMore && !isLoadingMore) loadMore();
  }, [isNearEnd, hasMore, isLoadingMore, loadMore]);
  return {
    rootRef,
    virtualizer,
    before: Math.max(0, (rows[0]?.start ?? scrollMargin) - scrollMargin),
    after: Math.max(0, virtualizer.getTotalSize() - ((last?.end ?? scrollMargin) - scrollMargin)),
  };
}
