import type { useNavigate } from '@tanstack/react-router';
import { api, queryClient, SESSION_KEY } from '../app/client.ts';
import { notifyDone } from '../app/notify.ts';
import { adoptSession, type Session } from '../app/session.ts';
import { sessionEnd } from '../app/session-end.ts';

type Navigate = ReturnType<typeof useNavigate>;

/** Reads the session, and goes on in the workspace that is selected now. */
export async function checkSession(navigate: Navigate): Promise<void> {
  const shown = queryClient.getQueryData<Session>(SESSION_KEY);
  if (!shown) return;
  const now = await api.session.get();
  // This tab has meanwhile selected a workspace, signed in or signed out itself.
  if (queryClient.getQueryData<Session>(SESSION_KEY) !== shown) return;
  const isSamePlace =
    now.person.id === shown.person.id && now.workspace?.workspace_id === shown.workspace?.workspace_id;
  if (isSamePlace && now.workspace?.role === shown.workspace?.role && !sessionEnd.get()) {
    queryClient.setQueryData(SESSION_KEY, now);
    return;
  }
  if (!now.workspace) await navigate({ to: '/workspace', ignoreBlocker: true });
  adoptSession(now);
  if (isSamePlace || !now.workspace) return;
  notifyDone(`This browser now works in ${now.workspace.workspace_name}`);
  await navigate({ to: '/', ignoreBlocker: true });
}
