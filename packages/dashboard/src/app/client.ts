import { createBrowserClient } from '@parley/client/browser';
import { QueryClient } from '@tanstack/react-query';
import { noteRefusal } from './session-end.ts';
import { recheckSession } from './session-recheck.ts';

export const SESSION_KEY = ['session'] as const;

/** Reads are repeated by the client itself. A list that is opened again within this time is not requested again. */
const FRESH_MS = 10_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: FRESH_MS, networkMode: 'always', refetchOnWindowFocus: true },
    mutations: { retry: false, networkMode: 'always' },
  },
});

type KnownSession = { csrf_token: string; workspace: { workspace_id: string } | null };

const knownSession = () => queryClient.getQueryData<KnownSession>(SESSION_KEY);

/** The platform's API, with the session of this browser. */
export const api = createBrowserClient({
  csrfToken: () => knownSession()?.csrf_token,
  workspaceId: () => knownSession()?.workspace?.workspace_id,
  onSessionEnd: (sentAt) => {
    if (knownSession()) noteRefusal(sentAt);
  },
  onConflict: recheckSession,
});
