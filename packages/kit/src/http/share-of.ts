import { type Auth, NO_WORKSPACE } from './auth.ts';

/** Whose share a client's request takes from: visitors with a public key have one apart from that of private keys [trust.8]. */
export function shareOf({ workspaceId, actor }: Auth): string {
  if (workspaceId === NO_WORKSPACE) return actor.id;
  return actor.kind === 'public_key' ? `${workspaceId} public` : workspaceId;
}
