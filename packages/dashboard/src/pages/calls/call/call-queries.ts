import type { getCall, ResponseOf, TimelineEntry } from '@parley/contracts';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../../../app/client.ts';

export type Call = ResponseOf<typeof getCall>;

/** No event reports what is said in a live call: it is polled. */
const LIVE_MS = 1_000;
/** Until recording and analysis are there. */
const SETTLING_MS = 2_000;
/** An analysis may be retried for hours: the page does not wait for that. */
export const SETTLES_WITHIN_MS = 5 * 60_000;

export const isLive = ({ status }: Pick<Call, 'status'>): boolean => status !== 'completed';

/**
 * Whether recording, summary and analysis are still being made: `soon` while the page waits for them, `late` when it has waited long enough.
 * The platform tries an analysis again for hours.
 */
export type Settling = 'no' | 'soon' | 'late';

export function settlingOf(
  call: Pick<Call, 'status' | 'answered_at'>,
  timeline: readonly TimelineEntry[] | undefined,
  isLate: boolean,
): Settling {
  if (isLive(call) || call.answered_at === null || timeline === undefined) return 'no';
  if (timeline.some(({ type }) => type === 'analyzed')) return 'no';
  return isLate ? 'late' : 'soon';
}

export const callQuery = (id: string) =>
  queryOptions({
    queryKey: ['call', id] as const,
    meta: { only: id },
    queryFn: ({ signal }) => api.calls.get(id, { signal }),
    refetchInterval: ({ state: { data } }) => (data && isLive(data) ? SETTLING_MS : false),
  });

export const timelineQuery = (call: Call, isLate: boolean) =>
  queryOptions({
    queryKey: ['call', call.id, 'timeline'] as const,
    meta: { only: call.id },
    queryFn: ({ signal }) => api.calls.timeline(call.id, { signal }),
    refetchInterval: ({ state: { data } }) => {
      if (isLive(call)) return LIVE_MS;
      return settlingOf(call, data, isLate) === 'soon' ? SETTLING_MS : false;
    },
  });

export const webhooksQuery = (id: string) =>
  queryOptions({
    queryKey: ['call-webhooks', id] as const,
    meta: { only: id },
    queryFn: ({ signal }) => api.calls.webhooks(id, { signal }),
    refetchInterval: ({ state }) => (state.data?.some(({ status }) => status === 'pending') ? 5_000 : false),
  });
