import { keepPreviousData, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../app/client.ts';
import type { ListedCall } from './call-columns.tsx';
import type { CallFilters } from './call-search.ts';

export const PAGE_SIZE = 100;

/**
 * The list as it was when it was opened, in pages: calls that arrive meanwhile would move every row. They are counted, and shown when
 * a person asks for them.
 */
export function useCallPages(filters: CallFilters, visiblePages: readonly number[]) {
  const queryClient = useQueryClient();
  const key = ['calls', 'list', filters] as const;
  const first = useQuery({
    queryKey: [...key, 'first'],
    queryFn: ({ signal }) => api.calls.list({ ...filters, size: PAGE_SIZE }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
  const newest = first.data?.items[0]?.created_at;
  const pages = useQueries({
    queries: visiblePages.map((page) => ({
      queryKey: [...key, newest, page],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        api.calls.list(
          { ...filters, ...(newest === undefined ? {} : { created_before: newest }), size: PAGE_SIZE, page },
          { signal },
        ),
      enabled: newest !== undefined && !first.isPlaceholderData,
      staleTime: Number.POSITIVE_INFINITY,
      ...(page === 1 && first.data ? { initialData: first.data } : {}),
    })),
  });
  const newCalls = useQuery({
    queryKey: [...key, 'count'],
    queryFn: ({ signal }) => api.calls.list({ ...filters, size: 1 }, { signal }).then(({ total }) => total),
    enabled: first.isSuccess,
    refetchInterval: 15_000,
  });
  const total = first.data?.total ?? 0;
  const byPage = new Map(visiblePages.map((page, i) => [page, pages[i]?.data?.items]));
  return {
    first,
    total,
    failed: pages.find(({ isError }) => isError),
    newCount: Math.max(0, (newCalls.data ?? total) - total),
    callAt: (index: number): ListedCall | undefined =>
      byPage.get(Math.floor(index / PAGE_SIZE) + 1)?.[index % PAGE_SIZE],
    /** Reads the list again, with the calls that have arrived. */
    showNew: () => queryClient.resetQueries({ queryKey: key }),
    /** Reads the count and the pages of these calls again. */
    refresh: (ids: ReadonlySet<string>) => {
      void queryClient.invalidateQueries({ queryKey: [...key, 'count'] });
      pages.forEach((page, i) => {
        if (page.data?.items.some(({ id }) => ids.has(id)))
          void queryClient.invalidateQueries({ queryKey: [...key, newest, visiblePages[i]], exact: true });
      });
    },
  };
}
