import {
  hashKey,
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { MAX_LIVE_PAGES } from '../../live/use-live-updates.ts';
import { type ListRequest, listQuery } from './list-query.ts';
import { watchChanges } from './watch-changes.ts';

type Options<Item> = ListRequest<Item> & {
  enabled?: boolean;
  /** False: changes do not request even a short list again, which only says that it has changed. */
  isLive?: boolean;
};

export type List<Item> = {
  items: readonly Item[];
  /** Of all pages; undefined until the first one is there. */
  total: number | undefined;
  error: unknown;
  isLoading: boolean;
  /** The items are of the former filters. */
  isStale: boolean;
  /** The platform has changed it since, and it is not requested again by itself. */
  hasChanged: boolean;
  /** Reads it again from its beginning. */
  showNewest: () => void;
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore: () => void;
  retry: () => void;
};

/** A list of the API that grows page by page and keeps its place when the person comes back. */
export function useList<Item>(options: Options<Item>): List<Item> {
  const { queryKey, enabled = true, isLive = true } = options;
  const queryClient = useQueryClient();
  const query = useInfiniteQuery({
    ...listQuery(options),
    placeholderData: keepPreviousData,
    enabled,
  });
  const { data, error, isFetching, isFetchingNextPage, fetchNextPage, hasNextPage, refetch } = query;
  const isOutdated = useIsOutdated(queryKey);
  const isRefreshed = isLive && (data?.pages.length ?? 1) <= MAX_LIVE_PAGES;
  const items = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  return {
    items,
    total: data?.pages[0]?.total,
    error,
    isLoading: query.isPending,
    isStale: query.isPlaceholderData,
    hasChanged: isOutdated && !isRefreshed,
    showNewest: () => void queryClient.resetQueries({ queryKey, exact: true }),
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    loadMore: () => {
      // Another page would cancel a request of the whole list.
      if (hasNextPage && !isFetching && !query.isFetchNextPageError) void fetchNextPage();
    },
    retry: () => void (query.isFetchNextPageError ? fetchNextPage() : refetch()),
  };
}

function useIsOutdated(queryKey: QueryKey): boolean {
  const queryClient = useQueryClient();
  const [outdated, setOutdated] = useState<string>();
  const hash = hashKey(queryKey);
  useEffect(
    () => watchChanges(queryClient, queryKey, (isOutdated) => setOutdated(isOutdated ? hash : undefined)),
    [queryClient, hash],
  );
  return outdated === hash;
}
