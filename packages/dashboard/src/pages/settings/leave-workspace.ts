import type { useNavigate } from '@tanstack/react-router';
import { api } from '../../app/client.ts';
import { notifyDone } from '../../app/notify.ts';
import { adoptSession, forgetSession, type Session, type Workspace } from '../../app/session.ts';
import { removeDrafts } from '../../drafts/draft-storage.ts';
import { broadcastAccessChange } from '../../live/share-event-stream.ts';

type Left = { person: Session['person']; workspace: Workspace };

/** Ends the own membership, and goes on in another workspace of the person, if there is one [dashboard.75]. */
export async function leaveWorkspace(
  { person, workspace }: Left,
  navigate: ReturnType<typeof useNavigate>,
): Promise<void> {
  await api.members.leave(workspace.workspace_id);
  removeDrafts(person.id, workspace.workspace_id);
  const next = await nextSession(person);
  if (next?.workspace) {
    adoptSession(next);
    await navigate({ to: '/', ignoreBlocker: true });
  } else {
    // Pages of the shell need a workspace.
    await navigate({ to: next ? '/workspace' : '/sign-in', ignoreBlocker: true });
    if (next) adoptSession(next);
    else forgetSession();
  }
  broadcastAccessChange();
  notifyDone(`You have left ${workspace.workspace_name}`);
}

/** With the person's only other workspace selected; undefined: the account is deleted. */
async function nextSession(person: Session['person']): Promise<Session | undefined> {
  if (!person.is_address_proved) return undefined;
  const session = await api.session.get();
  const [only, ...others] = session.workspaces;
  return only && others.length === 0
    ? // The workspace is left all the same: the person chooses, and sees what is wrong.
      api.session.selectWorkspace({ workspace_id: only.workspace_id }).catch(() => session)
    : session;
}
