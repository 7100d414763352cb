import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { api } from '../../../app/client.ts';
import { knownZone } from '../../../app/zone.ts';
import { type CallFilters, type CallSearch, toFilters } from './call-search.ts';

export const PAGE_SIZE = 100;

/** The first page of the list of calls, as it was when the list was opened. */
export const firstCallsQuery = (filters: CallFilters) =>
  queryOptions({
    queryKey: ['call-list', filters, 'first'],
    queryFn: ({ signal }) => api.calls.list({ ...filters, size: PAGE_SIZE }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Requests the first page while the script of the list is loaded. The list shows its error. */
export function requestCalls(queryClient: QueryClient, search: CallSearch): void {
  void queryClient.prefetchQuery(firstCallsQuery(toFilters(search, knownZone(queryClient), new Date())));
}
