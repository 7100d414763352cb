import type { explainCampaign, getCampaign, ResponseOf } from '@parley/contracts';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../../../app/client.ts';

export type Campaign = ResponseOf<typeof getCampaign>;
export type Explanation = ResponseOf<typeof explainCampaign>;

/** No event reports progress: it is polled while the campaign is not over. */
const RUNNING_MS = 3_000;
const WAITING_MS = 10_000;

/** Of contacts that are not added yet, in this browser's storage. */
export const listDraftName = (id: string): string => `campaign:${id}:list`;

/** For good: nothing can be added. */
export const isOver = (status: Campaign['status']): boolean =>
  status === 'completed' || status === 'cancelled';

export const campaignQuery = (id: string) =>
  queryOptions({
    queryKey: ['campaign', id] as const,
    meta: { only: id },
    queryFn: ({ signal }) => api.campaigns.get(id, { signal }),
    refetchInterval: ({ state: { data } }) => everyMs(data?.status),
  });

/** Calls go on for a while after the end of a campaign. */
export const explanationQuery = (id: string) =>
  queryOptions({
    queryKey: ['campaign', id, 'explain'] as const,
    meta: { only: id },
    queryFn: ({ signal }) => api.campaigns.explain(id, { signal }),
    refetchInterval: ({ state: { data } }) => {
      const calls = (data?.contacts.dialing ?? 0) + (data?.contacts.in_progress ?? 0);
      return calls > 0 ? RUNNING_MS : everyMs(data?.state);
    },
  });

export const outcomesQuery = (campaign: Campaign) =>
  queryOptions({
    queryKey: ['analytics', 'campaign', campaign.campaign_id] as const,
    meta: { only: campaign.campaign_id },
    queryFn: ({ signal }) =>
      api.analytics.summary({ campaign_id: campaign.campaign_id, from: campaign.created_at }, { signal }),
    enabled: campaign.started_at !== null,
    refetchInterval: isOver(campaign.status) ? false : RUNNING_MS * 2,
  });

function everyMs(status: Campaign['status'] | undefined): number | false {
  if (status === undefined || isOver(status)) return false;
  return status === 'running' ? RUNNING_MS : WAITING_MS;
}
