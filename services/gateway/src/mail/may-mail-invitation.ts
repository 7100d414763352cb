import type { Limiter } from '../limits/bucket.ts';
import { limitByHour, takeByHour } from '../limits/limit-anonymous.ts';
import type { MailQueue } from './mails.store.ts';
import { MAILS_PER_HOUR } from './prove-by-mail.ts';

/** To all addresses together: a workspace can neither flood mailboxes nor fill the queue. */
const INVITATIONS_PER_WORKSPACE_AND_HOUR = 100;

/**
 * Limits invitations that are mailed [access.19]; those that the inviter passes on are not limited. Throws `RATE_LIMITED` for the
 * workspace. False: the address gets no more mail for now. Other workspaces share that limit, so it refuses no invitation.
 */
export async function mayMailInvitation(
  { mails, limiter }: { mails?: MailQueue | undefined; limiter?: Limiter | undefined },
  { workspaceId, email }: { workspaceId: string; email: string },
): Promise<boolean> {
  if (!mails || !limiter) return false;
  const workspace = { kind: 'invitations-by-workspace', of: workspaceId };
  await limitByHour(limiter, workspace, INVITATIONS_PER_WORKSPACE_AND_HOUR);
  const { allowed } = await takeByHour(limiter, { kind: 'invitations', of: email }, MAILS_PER_HOUR);
  return allowed;
}
