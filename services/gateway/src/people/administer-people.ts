import type { Role } from '@parley/contracts';
import { conflict, notFound } from '@parley/kit/errors';
import { noIdempotency } from '@parley/kit/idempotency';
import { newToken } from '../sessions/tokens.ts';
import type { Passwords } from '../sign-in/password.ts';
import type { SecondFactorStore } from '../sign-in/second-factors.store.ts';
import type { Changer } from './changes.ts';
import { invitationLink } from './invitations.ts';
import type { MemberStore } from './members.store.ts';
import { changeRole, invite, type MemberDeps } from './members.ts';
import type { PeopleStore, Person } from './people.store.ts';

/** `parley member add`: invites a new person, or changes the role of a member. */
export async function addMember(
  deps: MemberDeps & { publicUrl: string | undefined },
  workspaceId: string,
  { email, role }: { email: string; role: Role },
  by: Changer = { kind: 'operator' },
) {
  const known = await deps.members.find(workspaceId, email);
  const linkOf = invitationLink(deps.publicUrl ?? '');
  const { invitation_expires_at, ...member } = known?.personId
    ? await changeRole(deps, { workspaceId, by }, { id: known.id, role })
    : await invite(deps, { workspaceId, by, linkOf }, { email, role }, noIdempotency);
  return { workspace_id: workspaceId, invitation_expires_at, ...member };
}

/** The account of an address; `workspaceId` selects one of several. */
async function findAccount(
  people: PeopleStore,
  email: string,
  workspaceId: string | undefined,
): Promise<Person> {
  const accounts = await people.findByEmail(email);
  const matching: Person[] = [];
  for (const account of accounts) {
    const memberships = workspaceId ? await people.memberships(account.id) : [];
    if (!workspaceId || memberships.some((one) => one.workspaceId === workspaceId)) matching.push(account);
  }
  const [person, another] = matching;
  if (!person) throw notFound('Account');
  if (another)
    throw conflict('Several accounts have this address: select one by its workspace with --workspace');
  return person;
}

type Operator = Extract<Changer, { kind: 'operator' }>;
type Account = { email: string; workspaceId: string | undefined };

/** `parley member reset-password`: also ends all sessions. */
export async function resetPassword(
  { people, passwords }: { people: PeopleStore; passwords: Passwords },
  { email, workspaceId }: Account,
  by: Operator = { kind: 'operator' },
) {
  const { id } = await findAccount(people, email, workspaceId);
  const password = newToken();
  await people.setPassword(
    id,
    await passwords.hash(password, { lane: 'operator', isKnown: true, email }),
    null,
    by,
  );
  return { email, password };
}

/** `parley member prove`: the operator vouches for the address, where neither mail nor single sign-on can prove it. */
export async function proveAddress({ people }: { people: PeopleStore }, { email, workspaceId }: Account) {
  const { id } = await findAccount(people, email, workspaceId);
  return { email, person_id: await people.prove(id), is_address_proved: true };
}

/** `parley member reset-totp`: for a person without app and recovery codes; the password alone signs in again. */
export async function resetSecondFactor(
  { people, secondFactors }: { people: PeopleStore; secondFactors: SecondFactorStore },
  { email, workspaceId }: Account,
  by: Operator = { kind: 'operator' },
) {
  const { id } = await findAccount(people, email, workspaceId);
  return { email, was_enabled: await secondFactors.remove(id, by) };
}

/** `parley workspace require`: what a session must have shown to work in the workspace [access.13]. */
export async function requireOfWorkspace(
  { members }: { members: MemberStore },
  workspaceId: string,
  required: { secondFactor?: boolean; sso?: boolean },
  by: Changer = { kind: 'operator' },
) {
  const now = await members.require(workspaceId, required, by);
  return { workspace_id: workspaceId, require_second_factor: now.secondFactor, require_sso: now.sso };
}
