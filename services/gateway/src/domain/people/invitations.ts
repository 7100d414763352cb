import { AppError, notFound } from '@parley/kit/errors';
import { newId } from '@parley/kit/ids';
import { findByPassword } from './by-password.ts';
import type { MemberStore, OpenInvitation } from './ports.ts';
import { type Opened, type Origin, openSession, type SessionDeps } from './sessions.ts';
import { hashToken } from './tokens.ts';

type Deps = SessionDeps & { members: MemberStore };

/** `404 NOT_FOUND` for a token that opens nothing: unknown, used, replaced or expired. */
export async function findInvitation(
  { members, clock, pepper }: Pick<Deps, 'members' | 'clock' | 'pepper'>,
  token: string,
): Promise<OpenInvitation> {
  const invitation = await members.findInvitation(hashToken('invitation', token, pepper));
  if (!invitation || invitation.expiresAt <= clock.now()) throw notFound('Invitation');
  return invitation;
}

/**
 * A person joins. Whoever has the token may make the account of an address that has none yet; where there is one its
 * password is asked for, so that an invitation to one workspace never opens another.
 */
export async function acceptInvitation(
  deps: Deps,
  { token, password }: { token: string; password: string },
  origin: Origin,
): Promise<Opened> {
  const { member, workspaceId } = await findInvitation(deps, token);
  const known = await deps.people.findByEmail(member.email);
  const proven = known && (await findByPassword(deps, member.email, password));
  if (known && !proven)
    throw new AppError('UNAUTHORIZED', 'This address has an account: the password must be the one of that');
  const person = proven ?? {
    id: newId(),
    email: member.email,
    passwordHash: await deps.passwords.hash(password),
  };
  const hash = hashToken('invitation', token, deps.pepper);
  await deps.members.accept(hash, proven ? { id: proven.id } : person);
  return openSession(deps, person, workspaceId, origin);
}
