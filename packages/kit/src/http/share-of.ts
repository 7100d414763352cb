import { type Auth, NO_WORKSPACE } from './auth.ts';

/** The key of the share that a client's request uses: public keys have a share separate from that of private keys [trust.8]. */
export function shareOf({ workspaceId, actor }: Auth): string {
  if (workspaceId === NO_WORKSPACE) return actor.id;
  return actor.kind === 'public_key' ? publicShareOf(workspaceId) : workspaceId;
}

/** The share of a workspace's public keys, and of the visitors of its web calls. */
export function publicShareOf(workspaceId: string): string {
  return `${workspaceId} public`;
}
