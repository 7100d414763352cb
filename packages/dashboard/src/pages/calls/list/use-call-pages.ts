import { keepPreviousData, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { api } from '../../../app/client.ts';
import type { ListedCall } from './call-columns.tsx';
import { firstCallsQuery, PAGE_SIZE } from './call-queries.ts';
import type { CallFilters } from './call-search.ts';

/** Without the stream of changes, and for changes that it merges. */
const COUNT_MS = 15_000;

/**
 * The list as it was when it was opened, in pages: calls that arrive meanwhile would move every row. They are counted, and shown on
 * request. Live updates do not refresh the key of these pages; they refresh the key of the count, which then refreshes the rows that may have changed.
 */
export function useCallPages(filters: CallFilters, visiblePages: readonly number[]) {
  const queryClient = useQueryClient();
  const key = ['call-list', filters] as const;
  const first = useQuery({ ...firstCallsQuery(filters), placeholderData: keepPreviousData });
  const newest = first.data?.items[0]?.created_at;
  const pages = useQueries({
    queries: visiblePages.map((page) => ({
      queryKey: [...key, newest, page],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        api.calls.list(
          {
            ...filters,
            ...(newest === undefined ? {} : { created_before: newest }),
            size: PAGE_SIZE,
            page,
          },
          { signal },
        ),
      enabled: newest !== undefined && !first.isPlaceholderData,
      staleTime: Number.POSITIVE_INFINITY,
      ...(page === 1 && first.data ? { initialData: first.data } : {}),
    })),
  });
  const count = useQuery({
    queryKey: ['calls', 'count', filters],
    queryFn: ({ signal }) => api.calls.list({ ...filters, size: 1 }, { signal }).then(({ total }) => total),
    enabled: first.isSuccess,
    refetchInterval: COUNT_MS,
  });
  const unfinished = visiblePages.filter((_, i) =>
    pages[i]?.data?.items.some(({ status }) => status !== 'completed'),
  );
  useEffect(() => {
    for (const page of unfinished)
      void queryClient.invalidateQueries({ queryKey: [...key, newest, page], exact: true });
  }, [count.dataUpdatedAt]);

  const showNew = useCallback(
    () => queryClient.resetQueries({ queryKey: ['call-list', filters] }),
    [queryClient, filters],
  );
  const total = first.data?.total ?? 0;
  const byPage = new Map(visiblePages.map((page, i) => [page, pages[i]?.data?.items]));
  return {
    first,
    total,
    failed: pages.find(({ isError }) => isError),
    newCount: Math.max(0, (count.data ?? total) - total),
    callAt: (index: number): ListedCall | undefined =>
      byPage.get(Math.floor(index / PAGE_SIZE) + 1)?.[index % PAGE_SIZE],
    /** Reads the list again, with the calls that have arrived. */
    showNew,
  };
}
