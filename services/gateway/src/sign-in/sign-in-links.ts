import type { Role } from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import type { Changer } from '../people/changes.ts';
import { type Origin, openSession, type SessionDeps, type SignedIn } from '../sessions/sessions.ts';
import { hashToken, newToken } from '../sessions/tokens.ts';
import { issueChallenge } from './challenge.ts';
import type { SecondFactorStore } from './second-factors.store.ts';
import type { SignInLinkStore } from './sign-in-links.store.ts';

export type SignInLinkDeps = SessionDeps & {
  signInLinks: SignInLinkStore;
  secondFactors: SecondFactorStore;
};

type LinkInput = { workspaceId: string; email: string; role: Role | undefined };

/** `parley member link`: returns a link with which a member signs in once [dashboard.4]. */
export async function createSignInLink(
  {
    signInLinks,
    pepper,
    publicUrl,
  }: { signInLinks: SignInLinkStore; pepper: string; publicUrl: string | undefined },
  { workspaceId, email, role }: LinkInput,
  by: Changer,
) {
  const token = newToken();
  const hash = hashToken('sign-in link', token, pepper);
  const added = await signInLinks.add({ hash, workspaceId, email, role }, by);
  if (!added) throw notFound('Member');
  return {
    workspace_id: workspaceId,
    email,
    // A fragment reaches no server and no log.
    sign_in_url: `${(publicUrl ?? '').replace(/\/$/, '')}/dashboard/sign-in/link#${token}`,
    expires_at: added.expiresAt.toISOString(),
  };
}

/** Opens a session in the link's workspace, or a challenge if the account has a second factor. */
export async function signInByLink(
  deps: SignInLinkDeps,
  { token, requestId }: { token: string; requestId: string },
  origin: Origin,
): Promise<SignedIn> {
  const from = { address: origin.address, requestId };
  const link = await deps.signInLinks.use(hashToken('sign-in link', token, deps.pepper), from);
  const person = link && (await deps.people.find(link.personId));
  if (!link || !person) throw notFound('Link');
  const { workspaceId } = link;
  if (person.passwordHash !== null && (await deps.secondFactors.find(person.id))?.enabledAt) {
    const shown = { personId: person.id, workspaceId };
    return { challenge: issueChallenge(shown, person.passwordHash, deps.pepper) };
  }
  const opened = await openSession(deps, { id: person.id, passwordHash: null }, workspaceId, origin, 'link');
  return { opened };
}
