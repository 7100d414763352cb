import { createBrowserClient } from '@parley/client/browser';
import { QueryClient } from '@tanstack/react-query';
import { noteRefusal } from './session-end.ts';

export const SESSION_KEY = ['session'] as const;

/** Reads are repeated by the client itself. A list that is opened again within this time is not requested again. */
const FRESH_MS = 10_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: FRESH_MS, networkMode: 'always', refetchOnWindowFocus: true },
    mutations: { retry: false, networkMode: 'always' },
  },
});

/** The platform's API, with the session of this browser. */
export const api = createBrowserClient({
  csrfToken: () => queryClient.getQueryData<{ csrf_token: string }>(SESSION_KEY)?.csrf_token,
  onSessionEnd: (sentAt) => {
    if (queryClient.getQueryData(SESSION_KEY)) noteRefusal(sentAt);
  },
});
