import type { Role } from '@parley/contracts';
import type { Sql } from '@parley/kit/db';
import type { WorkspaceLimits } from '../limits/request-limits.ts';
import type { Page, Paged } from '../page.ts';

/** What a request needs to know of its session. */
export type KnownSession = {
  id: string;
  personId: string;
  email: string;
  lastSeenAt: Date;
  expiresAt: Date;
  /** Of the picked workspace; null where none is picked, or the person is no member of it any more. */
  member: { id: string; role: Role; workspaceId: string; limits: WorkspaceLimits } | null;
};

export type Person = { id: string; email: string; passwordHash: string };
export type Membership = { workspaceId: string; workspaceName: string; role: Role };

export type SessionRow = {
  id: string;
  personId: string;
  workspaceId: string | null;
  address: string;
  userAgent: string;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
};

export type SessionStore = {
  findByHash(hash: string): Promise<KnownSession | undefined>;
  /**
   * In place of the session that the browser had until now (`formerHash`, of its token), if there is one, and of the person's
   * oldest beyond what one may have. False: the password by which the person came in isn't theirs any more.
   */
  create(
    session: SessionRow & { tokenHash: string },
    passwordHash: string,
    formerHash: string | undefined,
  ): Promise<boolean>;
  pick(id: string, workspaceId: string): Promise<void>;
  /** Newest first, as many as one may have. */
  list(personId: string): Promise<SessionRow[]>;
  /** False: the person has no such session. */
  remove(personId: string, id: string): Promise<boolean>;
  markUsed(ids: readonly string[], at: Date): Promise<void>;
  /** Deletes what ended before `now`, or was last used before `idleSince`; gives how many. */
  sweep(now: Date, idleSince: Date): Promise<number>;
};

export type PeopleStore = {
  findByEmail(email: string): Promise<Person | undefined>;
  /** Of active memberships, the oldest first. */
  memberships(personId: string): Promise<Membership[]>;
  /** The same password, hashed anew. False: it isn't theirs any more. */
  renewPassword(person: Person, passwordHash: string): Promise<boolean>;
  /** Ends the person's sessions but one, or all: who signs in by the old password meanwhile doesn't stay. */
  setPassword(personId: string, passwordHash: string, keptSessionId: string | null): Promise<void>;
};

export type Member = {
  id: string;
  email: string;
  role: Role;
  /** Null: invited, and not here yet. */
  personId: string | null;
  invitationExpiresAt: Date | null;
  invitedBy: string | null;
  createdAt: Date;
};

export type Invitation = { hash: string; expiresAt: Date; by: string };

/** Changes of a workspace's members, one at a time: whoever has a team sees it as it stays until the end. */
export type Team = {
  tx: Sql;
  members: readonly Member[];
  invite(email: string, role: Role, invitation: Invitation): Promise<Member>;
  /** A new invitation in place of an older one. */
  reinvite(id: string, role: Role, invitation: Invitation): Promise<Member>;
  setRole(id: string, role: Role): Promise<Member>;
  remove(id: string): Promise<void>;
};

export type OpenInvitation = { member: Member; workspaceId: string; workspaceName: string; expiresAt: Date };

export type MemberStore = {
  /** The oldest first. */
  list(workspaceId: string, page: Page): Promise<Paged<Member>>;
  find(workspaceId: string, email: string): Promise<Member | undefined>;
  /** Throws `NOT_FOUND` for a workspace that isn't there. */
  change<T>(workspaceId: string, work: (team: Team) => Promise<T>): Promise<T>;
  findInvitation(hash: string): Promise<OpenInvitation | undefined>;
  /** Makes the account where `person` is new, and the member active. Throws `NOT_FOUND`: the invitation is gone. */
  accept(hash: string, person: { id: string } | Person): Promise<void>;
};
