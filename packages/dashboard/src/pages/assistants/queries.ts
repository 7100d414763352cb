import type { BrowserClient } from '@parley/client/browser';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { api } from '../../app/client.ts';

type Assistants = BrowserClient['assistants'];
export type Voice = Awaited<ReturnType<Assistants['voices']>>[number];
export type Tool = Awaited<ReturnType<BrowserClient['tools']['get']>>;
export type AssistantListItem = Awaited<ReturnType<Assistants['list']>>['items'][number];

const RARELY_CHANGES_MS = 60_000;
const JUST_REQUESTED_MS = 1_000;

export const voicesQuery = queryOptions({
  queryKey: ['voices'],
  queryFn: ({ signal }) => api.assistants.voices({ signal }),
  staleTime: RARELY_CHANGES_MS,
});

export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => api.assistants.models({ signal }),
  staleTime: RARELY_CHANGES_MS,
});

export const transcribersQuery = queryOptions({
  queryKey: ['transcribers'],
  queryFn: ({ signal }) => api.assistants.transcribers({ signal }),
  staleTime: RARELY_CHANGES_MS,
});

export const assistantQuery = (id: string) =>
  queryOptions({
    queryKey: ['assistant', id],
    queryFn: ({ signal }) => api.assistants.get(id, { signal }),
    // The editor reads the newest version, unless its route has just requested it.
    staleTime: JUST_REQUESTED_MS,
  });

/** Requests the assistant while the page that shows it is rendered. The page reports an error. */
export function requestAssistant(queryClient: QueryClient, id: string): void {
  void queryClient.prefetchQuery(assistantQuery(id));
}

/** All tools of an assistant, of which there are at most some hundred. */
export const toolsQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['tools', agentId],
    queryFn: async ({ signal }) => {
      const found: Tool[] = [];
      for await (const tool of api.tools.list({ agent_id: agentId, size: 100 }, { signal })) found.push(tool);
      return found;
    },
  });
