import { hashKey, type QueryClient, type QueryKey } from '@tanstack/react-query';

/**
 * Reports that a list has become outdated, and that it is being read again as a whole; returns the function that ends it. The query's own
 * state does not show it: another page of the same list makes it look fresh.
 */
export function watchChanges(
  queryClient: QueryClient,
  queryKey: QueryKey,
  onChange: (isOutdated: boolean) => void,
): () => void {
  const hash = hashKey(queryKey);
  return queryClient.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated' || event.query.queryHash !== hash) return;
    const { action } = event;
    if (action.type === 'invalidate') onChange(true);
    if (action.type === 'fetch' && action.meta?.fetchMore === undefined) onChange(false);
  });
}
