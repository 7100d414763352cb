import type { Limiter } from '../limits/bucket.ts';
import { limitByHour } from '../limits/limit-anonymous.ts';
import type { MailQueue } from './mails.store.ts';
import { MAILS_PER_HOUR } from './prove-by-mail.ts';

/** To all addresses together: a workspace can neither flood mailboxes nor fill the queue. */
const INVITATIONS_PER_WORKSPACE_AND_HOUR = 100;

/** Limits invitations that are mailed [access.19]; those that the inviter passes on are not limited. */
export async function limitInvitations(
  { mails, limiter }: { mails?: MailQueue | undefined; limiter: Limiter },
  workspaceId: string,
  email: string,
): Promise<void> {
  if (!mails) return;
  const workspace = { kind: 'invitations-by-workspace', of: workspaceId };
  await limitByHour(limiter, workspace, INVITATIONS_PER_WORKSPACE_AND_HOUR);
  await limitByHour(limiter, { kind: 'invitations', of: email }, MAILS_PER_HOUR);
}
