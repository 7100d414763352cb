import { useQuery } from '@tanstack/react-query';
import { api } from '../../app/client.ts';
import { useSession } from '../../app/session.ts';
import { hasTested } from '../../app/tested.ts';

const RUNNING = ['campaigns', 'running'];

/** The figures of the last 30 days, day by day; the last one is today. */
export function useDays() {
  return useQuery({
    queryKey: ['analytics', 'days'],
    queryFn: ({ signal }) => api.analytics.summary({ group_by: 'day' }, { signal }),
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

type Campaign = Awaited<ReturnType<typeof api.campaigns.list>>['items'][number];

/** Campaigns keep their places in the list: one that begins is added at its end, and moves no other [dashboard.76]. */
export function useRunningCampaigns() {
  return useQuery({
    queryKey: RUNNING,
    queryFn: async ({ signal, client }) => {
      const [running, dormant] = await Promise.all(
        (['running', 'dormant'] as const).map((status) =>
          api.campaigns.list({ status, limit: 5 }, { signal }),
        ),
      );
      const former = (client.getQueryData<Campaign[]>(RUNNING) ?? []).map(({ campaign_id: id }) => id);
      const place = ({ campaign_id: id }: Campaign) =>
        former.includes(id) ? former.indexOf(id) : former.length;
      return [...(running?.items ?? []), ...(dormant?.items ?? [])].sort((a, b) => place(a) - place(b));
    },
  });
}

/** Which of the first steps an empty workspace has done. A step whose state cannot be read counts as not done. */
export function useFirstSteps(isEmpty: boolean) {
  const { workspace } = useSession();
  const assistants = useQuery({
    queryKey: ['assistants', 'newest'],
    queryFn: ({ signal }) => api.assistants.list({ size: 1 }, { signal }),
    enabled: isEmpty,
  });
  const numbers = useQuery({
    queryKey: ['numbers', 'newest'],
    queryFn: ({ signal }) => api.phoneNumbers.list({ size: 1 }, { signal }),
    enabled: isEmpty,
  });
  const keys = useQuery({
    queryKey: ['keys', 'used'],
    queryFn: ({ signal }) => api.keys.list({ limit: 50 }, { signal }),
    enabled: isEmpty,
  });
  return {
    isPending: isEmpty && (assistants.isPending || numbers.isPending || keys.isPending),
    agentId: assistants.data?.items[0]?.id,
    hasNumber: (numbers.data?.total ?? 0) > 0,
    hasTested: hasTested(workspace.workspace_id),
    // Those that the operator made with the workspace count once they are used.
    hasKey:
      keys.data?.items.some((key) => key.created_by !== 'operator' || key.last_used_at !== null) ?? false,
  };
}
