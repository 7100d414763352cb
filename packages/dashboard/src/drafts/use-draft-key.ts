import { useSession } from '../app/session.ts';
import { draftKey } from './draft-storage.ts';

/** Where a draft of this person in this workspace is in the browser's storage. */
export function useDraftKey(name: string): string {
  const { person, workspace } = useSession();
  return draftKey(person.id, workspace.workspace_id, name);
}
