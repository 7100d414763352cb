import { useQuery } from '@tanstack/react-query';
import { api } from '../../app/client.ts';

/** The figures of the last 30 days, day by day; the last one is today. */
export function useDays() {
  return useQuery({
    queryKey: ['analytics', 'days'],
    queryFn: ({ signal }) => api.analytics.calls({ group_by: 'day' }, { signal }),
  });
}

export type Days = NonNullable<ReturnType<typeof useDays>['data']>;
export type Day = Days['buckets'][number];

export function useConcurrency() {
  return useQuery({
    queryKey: ['concurrency'],
    queryFn: ({ signal }) => api.calls.concurrency({ signal }),
  });
}

export function useAttention() {
  return useQuery({
    queryKey: ['attention'],
    queryFn: ({ signal }) => api.analytics.attention({ signal }),
  });
}

export type AttentionItem = NonNullable<ReturnType<typeof useAttention>['data']>['items'][number];

export function useRunningCampaigns() {
  return useQuery({
    queryKey: ['campaigns', 'running'],
    queryFn: async ({ signal }) => {
      const [running, dormant] = await Promise.all(
        (['running', 'dormant'] as const).map((status) =>
          api.campaigns.list({ status, limit: 5 }, { signal }),
        ),
      );
      return [...(running?.items ?? []), ...(dormant?.items ?? [])];
    },
  });
}

/** How far an empty workspace has come. */
export function useFirstSteps(enabled: boolean) {
  return useQuery({
    queryKey: ['assistants', 'first-steps'],
    enabled,
    queryFn: async ({ signal }) => {
      const [assistants, numbers] = await Promise.all([
        api.assistants.list({ size: 1 }, { signal }),
        api.phoneNumbers.list({ size: 1 }, { signal }),
      ]);
      return { assistants: assistants.total, numbers: numbers.total, agentId: assistants.items[0]?.id };
    },
  });
}
