import type { ChangedType, DashboardChanges } from '@parley/contracts';
import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { recheckSession } from '../app/session-recheck.ts';
import { createStore } from '../app/store.ts';
import { shareEventStream } from './share-event-stream.ts';

/** How the page learns of changes. */
export const liveState = createStore<'connecting' | 'live' | 'polling'>('connecting');

/** What a change of the platform makes outdated: the areas, which are the first elements of query keys. */
const AREAS: Record<ChangedType, readonly string[]> = {
  call: ['calls', 'call', 'live-calls', 'analytics', 'concurrency'],
  campaign: ['campaigns', 'campaign', 'contacts'],
  delivery: ['call-webhooks', 'webhook-endpoints'],
  assistant: ['assistants', 'assistant', 'tools', 'tool', 'knowledge'],
  phone_number: ['numbers', 'number'],
  workspace: ['workspace', 'members', 'keys', 'erasures'],
  attention: ['attention'],
  do_not_call: ['do-not-call'],
  audit_log: ['audit-log'],
};

/** The resources that changed; `any`: they are not known. */
type ChangedIds = ReadonlySet<string> | 'any';

/** Changes within this time are one. */
const BATCH_MS = 1_000;
/** While changes go on: a person may send so many requests a minute. */
const EVERY_MS = 3_000;
const POLL_MS = 10_000;
/** By so much each page polls sooner: an outage of the broker begins for all of them at once. */
const MAX_POLL_JITTER_MS = 2_000;
/** A longer list is not requested again as a whole, again and again: it says that it has changed (`useList`). */
export const MAX_LIVE_PAGES = 3;

/**
 * Listens to the changes of the workspace while a page is open, and requests again what they concern. Without the stream of events, it
 * polls every ten seconds. A query with `meta: { only: id }` is requested again only for changes of that resource.
 */
export function useLiveUpdates(): void {
  const queryClient = useQueryClient();
  useEffect(() => listen(queryClient), [queryClient]);
}

function listen(queryClient: QueryClient): () => void {
  const waiting = new Map<string, ChangedIds>();
  /** Queries that were being requested when what they concern changed: their answer may be older. */
  let skipped: ReadonlySet<string> = new Set();
  let flushedAt = Number.NEGATIVE_INFINITY;
  let flushing: ReturnType<typeof setTimeout> | undefined;
  let polling: ReturnType<typeof setInterval> | undefined;

  const flush = () => {
    flushing = undefined;
    flushedAt = performance.now();
    const areas = new Map<string, ChangedIds>();
    for (const [type, ids] of waiting)
      if (isKnown(type)) for (const area of AREAS[type]) areas.set(area, joined(areas.get(area), ids));
    waiting.clear();
    skipped = refresh(queryClient, areas, skipped);
    if (skipped.size > 0) flushLater();
  };
  const flushLater = () => {
    flushing ??= setTimeout(flush, Math.max(BATCH_MS, flushedAt + EVERY_MS - performance.now()));
  };
  const note = (changed: Iterable<readonly [type: string, ids: ChangedIds]>) => {
    for (const [type, ids] of changed) waiting.set(type, joined(waiting.get(type), ids));
    flushLater();
  };
  const noteAll = () => note(Object.keys(AREAS).map((type) => [type, 'any'] as const));
  const poll = () => {
    liveState.set('polling');
    polling ??= setInterval(
      () => {
        if (document.visibilityState === 'visible') noteAll();
      },
      POLL_MS - Math.random() * MAX_POLL_JITTER_MS,
    );
  };
  const stopPolling = () => {
    clearInterval(polling);
    polling = undefined;
  };
  const end = shareEventStream({
    onOpen: () => {
      // Changes of the meantime are not sent again.
      if (polling !== undefined) noteAll();
      stopPolling();
      liveState.set('live');
    },
    onLost: poll,
    onChanges: (data) => note(changesOf(data)),
    onReset: noteAll,
    onAccessChange: recheckSession,
  });
  return () => {
    end();
    stopPolling();
    clearTimeout(flushing);
  };
}

function isKnown(type: string): type is ChangedType {
  return Object.hasOwn(AREAS, type);
}

function joined(ids: ChangedIds | undefined, others: ChangedIds): ChangedIds {
  return ids === 'any' || others === 'any' ? 'any' : new Set([...(ids ?? []), ...others]);
}

/**
 * Requests again what has changed, and the queries that were `skipped` before, by their hashes. Returns those that have to wait, since they
 * are being requested.
 */
export function refresh(
  queryClient: QueryClient,
  areas: ReadonlyMap<string, ChangedIds>,
  skipped: ReadonlySet<string>,
): ReadonlySet<string> {
  const isConcerned = ({ queryKey, meta, queryHash }: Query) => {
    const ids = areas.get(String(queryKey[0]));
    if (ids === 'any' || skipped.has(queryHash)) return true;
    return ids !== undefined && (typeof meta?.only !== 'string' || ids.has(meta.only));
  };
  // Also those of a page that is about to be shown.
  const busy = queryClient.getQueryCache().findAll({ fetchStatus: 'fetching', predicate: isConcerned });
  void queryClient.invalidateQueries({ predicate: isConcerned, refetchType: 'none' });
  // Most of many tabs are hidden: they request it when they become visible.
  if (document.visibilityState === 'visible')
    void queryClient.refetchQueries({
      type: 'active',
      predicate: (query) => {
        const { pages } = (query.state.data ?? {}) as { pages?: unknown[] };
        return (
          isConcerned(query) && (pages?.length ?? 1) <= MAX_LIVE_PAGES && query.state.fetchStatus === 'idle'
        );
      },
    });
  return new Set(busy.map(({ queryHash }) => queryHash));
}

/** What a `changes` event names: the resources of each type, with the calls and campaigns that they belong to. */
function changesOf(data: string): [type: string, ids: ChangedIds][] {
  const { changes, more } = JSON.parse(data) as DashboardChanges;
  return [
    ...changes.map(({ type, id, call_id, campaign_id }): [string, ChangedIds] => [
      type,
      new Set([id, call_id, campaign_id].filter((found) => found !== undefined)),
    ]),
    ...more.map((type): [string, ChangedIds] => [type, 'any']),
  ];
}
