import type { Page } from '@parley/client/browser';
import { keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';

type Options<Item> = {
  /** Begins with the area, as for live updates: `['calls', filters]`. */
  queryKey: QueryKey;
  /** Requests the page at a cursor; undefined for the first. The cursor of lists with POST is a page number, otherwise an offset. */
  request: (cursor: number | undefined, signal: AbortSignal) => Promise<Page<Item>>;
  enabled?: boolean;
};

export type List<Item> = {
  items: readonly Item[];
  /** Of all pages; undefined until the first one is there. */
  total: number | undefined;
  error: unknown;
  isLoading: boolean;
  /** The items are of the former filters. */
  isStale: boolean;
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore: () => void;
  retry: () => void;
};

/** A list of the API that grows page by page and keeps its place when the person comes back. */
export function useList<Item>({ queryKey, request, enabled = true }: Options<Item>): List<Item> {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => request(pageParam, signal),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ nextCursor }) => (nextCursor === null ? undefined : Number(nextCursor)),
    placeholderData: keepPreviousData,
    enabled,
  });
  const { data, error, isFetchingNextPage, fetchNextPage, hasNextPage, refetch } = query;
  const items = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  return {
    items,
    total: data?.pages[0]?.total,
    error,
    isLoading: query.isPending,
    isStale: query.isPlaceholderData,
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    loadMore: () => {
      if (hasNextPage && !isFetchingNextPage && !query.isFetchNextPageError) void fetchNextPage();
    },
    retry: () => void (query.isFetchNextPageError ? fetchNextPage() : refetch()),
  };
}
