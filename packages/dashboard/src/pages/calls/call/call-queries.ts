import type { getCall, ResponseOf, TimelineEntry } from '@parley/contracts';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../../../app/client.ts';

export type Call = ResponseOf<typeof getCall>;

/** What is said in a live call is no event: it is asked for. */
const LIVE_MS = 1_000;
/** Until recording and analysis are there. */
const SETTLING_MS = 2_000;
/** An analysis that is tried again for hours is not waited for here. */
const SETTLES_WITHIN_MS = 5 * 60_000;

export const isLive = ({ status }: Pick<Call, 'status'>): boolean => status !== 'completed';

/** Whether recording, summary and analysis are still being made. */
export function isSettling(call: Call, timeline: readonly TimelineEntry[] | undefined): boolean {
  return !isLive(call) && timeline !== undefined && !timeline.some(({ type }) => type === 'analyzed');
}

export const callQuery = (id: string) =>
  queryOptions({
    queryKey: ['call', id] as const,
    meta: { only: id },
    queryFn: ({ signal }) => api.calls.get(id, { signal }),
    refetchInterval: ({ state: { data, dataUpdateCount } }) => {
      if (!data) return false;
      if (isLive(data)) return SETTLING_MS;
      const isAnalyzed = data.summary !== null || data.transcript !== null || data.answered_at === null;
      return !isAnalyzed && dataUpdateCount * SETTLING_MS < SETTLES_WITHIN_MS ? SETTLING_MS : false;
    },
  });

export const timelineQuery = (id: string, interval: 'live' | 'settling' | 'done') =>
  queryOptions({
    queryKey: ['call', id, 'timeline'] as const,
    meta: { only: id },
    queryFn: ({ signal }) => api.calls.timeline(id, { signal }),
    refetchInterval: interval === 'live' ? LIVE_MS : interval === 'settling' ? SETTLING_MS : false,
  });

export const webhooksQuery = (id: string) =>
  queryOptions({
    queryKey: ['call-webhooks', id] as const,
    meta: { only: id },
    queryFn: ({ signal }) => api.calls.webhooks(id, { signal }),
    refetchInterval: ({ state }) => (state.data?.some(({ status }) => status === 'pending') ? 5_000 : false),
  });
