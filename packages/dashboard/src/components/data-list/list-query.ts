import type { Page } from '@parley/client/browser';
import { infiniteQueryOptions, type QueryKey } from '@tanstack/react-query';

export type ListRequest<Item> = {
  /** Begins with the area, as for live updates: `['calls', filters]`. */
  queryKey: QueryKey;
  /** Requests the page at a cursor; undefined for the first. The cursor of lists with POST is a page number, otherwise an offset. */
  request: (cursor: number | undefined, signal: AbortSignal) => Promise<Page<Item>>;
};

/** The query of a list that grows page by page; `useList` reads it, and a route may begin it. */
export function listQuery<Item>({ queryKey, request }: ListRequest<Item>) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => request(pageParam, signal),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ nextCursor }) => (nextCursor === null ? undefined : Number(nextCursor)),
  });
}
