import type { BrowserClient } from '@parley/client/browser';
import { type QueryKey, queryOptions, useQuery } from '@tanstack/react-query';
import { removeDrafts } from '../drafts/draft-storage.ts';
import { api, queryClient, SESSION_KEY } from './client.ts';
import { beginSession } from './session-end.ts';

export type Session = Awaited<ReturnType<BrowserClient['session']['get']>>;
export type Workspace = NonNullable<Session['workspace']>;
export type Role = Workspace['role'];

export const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  queryFn: ({ signal }) => api.session.get({ signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The session of a page inside of the shell, which is only shown with one. */
export function useSession(): Session & { workspace: Workspace } {
  const { data } = useQuery(sessionQuery);
  if (!data?.workspace) throw new Error('This page needs a session with a workspace');
  return { ...data, workspace: data.workspace };
}

/** Continues with a session that was just opened or changed. What another session has seen is forgotten. */
export function adoptSession(session: Session): void {
  const former = queryClient.getQueryData<Session>(SESSION_KEY);
  const isSame =
    former?.person.id === session.person.id &&
    former.workspace?.workspace_id === session.workspace?.workspace_id;
  // The session stays in the cache, so that what shows it learns of the new one.
  if (!isSame) {
    queryClient.removeQueries({ predicate: isOfWorkspace });
    queryClient.getMutationCache().clear();
  }
  queryClient.setQueryData(SESSION_KEY, session);
  beginSession();
  if (isSame) void queryClient.invalidateQueries({ predicate: isOfWorkspace });
}

const isOfWorkspace = ({ queryKey }: { queryKey: QueryKey }): boolean => queryKey[0] !== SESSION_KEY[0];

/** After a sign-out: nothing of the person stays in this browser, drafts included [dashboard.29]. */
export function forgetSession(): void {
  const session = queryClient.getQueryData<Session>(SESSION_KEY);
  if (session) removeDrafts(session.person.id);
  queryClient.clear();
  beginSession();
}
