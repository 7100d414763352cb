import type { explainCampaign, getCampaign, listContacts, ResponseOf } from '@parley/contracts';
import { type QueryClient, type QueryKey, queryOptions } from '@tanstack/react-query';
import { api } from '../../../app/client.ts';
import { type ListRequest, listQuery } from '../../../components/data-list/list-query.ts';
import type { ContactSearch } from '../campaign-search.ts';

export type Campaign = ResponseOf<typeof getCampaign>;
export type Explanation = ResponseOf<typeof explainCampaign>;
export type Contact = ResponseOf<typeof listContacts>;

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

export const CONTACTS_PAGE_SIZE = 100;

/** `area`: `contacts` are requested again when they change. */
export const contactsRequest = (
  area: 'contacts' | 'contact-search',
  id: string,
  { status, search }: ContactSearch,
): ListRequest<Contact> => ({
  queryKey: [area, id, status, search],
  request: (offset, signal) =>
    api.campaigns.listContacts(
      id,
      {
        limit: CONTACTS_PAGE_SIZE,
        ...(offset ? { offset } : {}),
        ...(status ? { status } : {}),
        ...(search ? { search } : {}),
      },
      { signal },
    ),
});

/** The page is shown without what takes longer. */
const MAX_WAIT_MS = 200;

/**
 * Requests what the page of a campaign shows, at once: its parts are rendered when the campaign is there, and would request theirs only then.
 * Resolves when the page can be shown as a whole: to render skeletons first, and then each part when it arrives, takes twice the processor
 * time. The parts report errors, and request again what has failed.
 */
export async function requestCampaign(
  queryClient: QueryClient,
  id: string,
  filters: ContactSearch,
): Promise<void> {
  const contacts = listQuery(contactsRequest('contacts', id, filters));
  const isMissing = (queryKey: QueryKey) => queryClient.getQueryData(queryKey) === undefined;
  const requests = [
    { isAwaited: isMissing(campaignQuery(id).queryKey), done: queryClient.prefetchQuery(campaignQuery(id)) },
    {
      isAwaited: isMissing(explanationQuery(id).queryKey),
      done: queryClient.prefetchQuery(explanationQuery(id)),
    },
    // How a search is read depends on the number of contacts.
    ...(filters.search
      ? []
      : [{ isAwaited: isMissing(contacts.queryKey), done: queryClient.prefetchInfiniteQuery(contacts) }]),
  ];
  const awaited = requests.filter(({ isAwaited }) => isAwaited).map(({ done }) => done);
  await Promise.race([Promise.all(awaited), new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS))]);
}

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
