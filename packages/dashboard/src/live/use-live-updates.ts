import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { createStore } from '../app/store.ts';

/** How the page learns of changes. */
export const liveState = createStore<'connecting' | 'live' | 'polling'>('connecting');

/** What a change of the platform makes outdated: the areas of the query keys. */
const AREAS: Record<string, readonly string[]> = {
  call: ['calls', 'call', 'live-calls', 'analytics', 'attention'],
  campaign: ['campaigns', 'campaign', 'contacts'],
  delivery: ['webhooks', 'webhook-endpoints', 'attention'],
  number: ['numbers', 'number', 'attention'],
  assistant: ['assistants', 'assistant'],
};

/** Changes within this time are one. */
const BATCH_MS = 1_000;
const POLL_MS = 10_000;
const RETRY_MS = 30_000;
/** A longer list is not requested again as a whole, again and again: it says that there is more. */
const MAX_LIVE_PAGES = 3;

type Change = { kind: string; id?: string };

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
  let timer: ReturnType<typeof setTimeout> | undefined;
  let poll: ReturnType<typeof setInterval> | undefined;
  let reconnect: ReturnType<typeof setTimeout> | undefined;

  const flush = () => {
    timer = undefined;
    const areas = new Set([...waiting].flatMap((kind) => AREAS[kind] ?? [kind]));
    waiting.clear();
    refresh(queryClient, areas);
  };
  const note = (kind: string) => {
    waiting.add(kind);
    timer ??= setTimeout(flush, BATCH_MS);
  };
  const startPolling = () => {
    liveState.set('polling');
    poll ??= setInterval(() => {
      if (document.visibilityState === 'visible') for (const kind of Object.keys(AREAS)) note(kind);
    }, POLL_MS);
  };
  const stopPolling = () => {
    clearInterval(poll);
    poll = undefined;
  };
  const open = () => {
    source = new EventSource('/dashboard/api/events');
    source.onopen = () => {
      stopPolling();
      liveState.set('live');
    };
    source.onmessage = ({ data }) => {
      const change = parse(data);
      if (change) note(change.kind);
    };
    source.onerror = () => {
      startPolling();
      if (source?.readyState !== EventSource.CLOSED) return;
      // The browser gives up after a refusal.
      clearTimeout(reconnect);
      reconnect = setTimeout(open, RETRY_MS);
    };
  };
  open();
  return () => {
    source?.close();
    stopPolling();
    clearTimeout(timer);
    clearTimeout(reconnect);
  };
}

function refresh(queryClient: QueryClient, areas: ReadonlySet<string>): void {
  const isConcerned = ({ queryKey }: { queryKey: QueryKey }) => areas.has(String(queryKey[0]));
  void queryClient.invalidateQueries({ predicate: isConcerned, refetchType: 'none' });
  void queryClient.refetchQueries({
    type: 'active',
    predicate: (query) => {
      const { pages } = (query.state.data ?? {}) as { pages?: unknown[] };
      return isConcerned(query) && (pages?.length ?? 1) <= MAX_LIVE_PAGES && query.state.fetchStatus === 'idle';
    },
  });
}

function parse(data: string): Change | undefined {
  try {
    const value: unknown = JSON.parse(data);
    if (typeof value === 'object' && value !== null && 'kind' in value && typeof value.kind === 'string')
      return value as Change;
  } catch {}
  return undefined;
}
