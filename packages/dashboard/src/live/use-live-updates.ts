import type { ChangedType, DashboardChanges } from '@parley/contracts';
import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { createStore } from '../app/store.ts';

/** How the page learns of changes. */
export const liveState = createStore<'connecting' | 'live' | 'polling'>('connecting');

/** What a change of the platform makes outdated: the areas, which are the first elements of query keys. */
const AREAS: Record<ChangedType, readonly string[]> = {
  call: ['calls', 'call', 'live-calls', 'analytics', 'concurrency'],
  campaign: ['campaigns', 'campaign', 'contacts'],
  delivery: ['call-webhooks', 'webhook-endpoints'],
  assistant: ['assistants', 'assistant', 'tools', 'tool', 'knowledge'],
  phone_number: ['numbers', 'number'],
  workspace: ['workspace', 'members', 'keys'],
  attention: ['attention'],
};

/** Changes within this time are one. */
const BATCH_MS = 1_000;
const POLL_MS = 10_000;
const RETRY_MS = 30_000;
/** A longer list is not requested again as a whole, again and again: it says that there is more. */
const MAX_LIVE_PAGES = 3;

/**
 * Listens to the changes of the workspace while a page is open, and requests again what they concern. Without the stream of events, asks
 * every ten seconds.
 */
export function useLiveUpdates(): void {
  const queryClient = useQueryClient();
  useEffect(() => listen(queryClient), [queryClient]);
}

function listen(queryClient: QueryClient): () => void {
  const waiting = new Set<string>();
  let source: EventSource | undefined;
  let flushing: ReturnType<typeof setTimeout> | undefined;
  let polling: ReturnType<typeof setInterval> | undefined;
  let reconnecting: ReturnType<typeof setTimeout> | undefined;

  const flush = () => {
    flushing = undefined;
    const areas = new Set([...waiting].flatMap((type) => (isKnown(type) ? AREAS[type] : [])));
    waiting.clear();
    refresh(queryClient, areas);
  };
  const note = (types: Iterable<string>) => {
    for (const type of types) waiting.add(type);
    flushing ??= setTimeout(flush, BATCH_MS);
  };
  const noteAll = () => note(Object.keys(AREAS));
  const poll = () => {
    liveState.set('polling');
    polling ??= setInterval(() => {
      if (document.visibilityState === 'visible') noteAll();
    }, POLL_MS);
  };
  const stopPolling = () => {
    clearInterval(polling);
    polling = undefined;
  };
  const openLater = () => {
    source?.close();
    poll();
    clearTimeout(reconnecting);
    reconnecting = setTimeout(open, RETRY_MS);
  };
  const open = () => {
    source = new EventSource('/dashboard/api/events');
    source.onopen = () => {
      // What changed in the meantime is not told again.
      if (polling !== undefined) noteAll();
      stopPolling();
      liveState.set('live');
    };
    source.addEventListener('changes', ({ data }) => note(typesOf(data)));
    source.addEventListener('reset', noteAll);
    source.addEventListener('end', openLater);
    source.onerror = () => {
      // The browser gives up after a refusal, and otherwise tries again by itself.
      if (source?.readyState === EventSource.CLOSED) openLater();
      else poll();
    };
  };
  open();
  return () => {
    source?.close();
    stopPolling();
    clearTimeout(flushing);
    clearTimeout(reconnecting);
  };
}

function isKnown(type: string): type is ChangedType {
  return Object.hasOwn(AREAS, type);
}

function refresh(queryClient: QueryClient, areas: ReadonlySet<string>): void {
  const isConcerned = ({ queryKey }: { queryKey: QueryKey }) => areas.has(String(queryKey[0]));
  void queryClient.invalidateQueries({ predicate: isConcerned, refetchType: 'none' });
  void queryClient.refetchQueries({
    type: 'active',
    predicate: (query) => {
      const { pages } = (query.state.data ?? {}) as { pages?: unknown[] };
      return (
        isConcerned(query) && (pages?.length ?? 1) <= MAX_LIVE_PAGES && query.state.fetchStatus === 'idle'
      );
    },
  });
}

/** The types of changes that a `changes` event names. */
function typesOf(data: string): Set<string> {
  const { changes, more } = JSON.parse(data) as DashboardChanges;
  return new Set([...changes.map(({ type }) => type), ...more]);
}
