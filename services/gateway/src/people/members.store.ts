import type { Role } from '@parley/contracts';
import { type AuditEntry, changesBetween } from '@parley/kit/audit';
import { uniqueViolation } from '@parley/kit/db';
import { conflict, notFound } from '@parley/kit/errors';
import { newId } from '@parley/kit/ids';
import type { Clock } from '@parley/kit/time';
import { addAuditEntry } from '../audit/audit-log.store.ts';
import type { Member as MemberRow, Prisma } from '../generated/prisma/client.ts';
import type { Page } from '../page.ts';
import { inTransaction, type PrismaClient, type Tx } from '../prisma.ts';
import { deleteWithoutMembership, findProved, lockAddress, proveAddress } from './accounts.store.ts';
import { type Changer, changedBy } from './changes.ts';
import type { NewPerson } from './people.store.ts';

export type Member = {
  id: string;
  email: string;
  role: Role;
  /** Null: invited, not joined yet. */
  personId: string | null;
  invitationExpiresAt: Date | null;
  invitedBy: string | null;
  createdAt: Date;
};
type Invitation = { hash: string; expiresAt: Date; by: string };
export type OpenInvitation = { member: Member; workspaceId: string; workspaceName: string; expiresAt: Date };
/** The sign-in methods that a workspace requires. */
export type Required = { secondFactor: boolean; sso: boolean };

/** Per workspace, with invitations. Exact, since `change` locks the workspace; it reads them all. */
const MAX_MEMBERS = 1_000;

const ORDER = [
  { createdAt: 'asc' },
  { id: 'asc' },
] as const satisfies Prisma.MemberOrderByWithRelationInput[];

export type MemberStore = ReturnType<typeof createMemberStore>;

export function createMemberStore(prisma: PrismaClient, clock: Clock) {
  return {
    /** The oldest first. */
    list: async (workspaceId: string, { limit, offset }: Page) => {
      const where = { workspaceId };
      const [rows, total] = await Promise.all([
        prisma.member.findMany({ where, orderBy: [...ORDER], take: limit, skip: offset }),
        prisma.member.count({ where }),
      ]);
      return { items: rows.map(toMember), total };
    },

    find: async (workspaceId: string, email: string): Promise<Member | undefined> => {
      const row = await prisma.member.findUnique({ where: { workspaceId_email: { workspaceId, email } } });
      return row ? toMember(row) : undefined;
    },

    /** Changes to the members of a workspace run one at a time. Throws `NOT_FOUND`. */
    change: <T>(workspaceId: string, work: (team: Team) => Promise<T>): Promise<T> =>
      inTransaction(prisma, async (tx) => {
        // NO KEY UPDATE: keys and other rows of the workspace can still be inserted meanwhile.
        const [workspace] = await tx.$queryRaw<{ name: string }[]>`
          SELECT name FROM workspaces WHERE id = ${workspaceId}::uuid AND deleted_at IS NULL FOR NO KEY UPDATE`;
        if (!workspace) throw notFound('Workspace');
        // Waits for invitations that are being accepted right now.
        await tx.$queryRaw`SELECT 1 FROM members WHERE workspace_id = ${workspaceId}::uuid FOR UPDATE`;
        const rows = await tx.member.findMany({ where: { workspaceId }, orderBy: [...ORDER] });
        return work(teamOf(tx, { id: workspaceId, name: workspace.name }, rows.map(toMember), clock));
      }),

    /** Missing fields stay unchanged. Throws `NOT_FOUND`. */
    require: (id: string, { secondFactor, sso }: Partial<Required>, by: Changer): Promise<Required> =>
      inTransaction(prisma, async (tx) => {
        await tx.$queryRaw`SELECT 1 FROM workspaces WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
        const before = await tx.workspace.findUnique({ where: { id } });
        if (!before) throw notFound('Workspace');
        const wanted = {
          requireSecondFactor: secondFactor ?? before.requireSecondFactor,
          requireSso: sso ?? before.requireSso,
        };
        await tx.workspace.update({ where: { id }, data: { ...wanted, updatedAt: clock.now() } });
        const changes = changesBetween(shownRequired(before), shownRequired(wanted));
        const target = { type: 'workspace', id, name: before.name };
        const entry = { action: 'workspace.sign_in_required', target, changes, at: clock.now() };
        if (Object.keys(changes).length > 0) await addAuditEntry(tx, changedBy(by, id), entry);
        return { secondFactor: wanted.requireSecondFactor, sso: wanted.requireSso };
      }),

    findInvitation: async (hash: string): Promise<OpenInvitation | undefined> => {
      const row = await prisma.member.findUnique({
        where: { invitationHash: hash, personId: null },
        include: { workspace: { select: { name: true } } },
      });
      if (!row?.invitationExpiresAt) return undefined;
      return {
        member: toMember(row),
        workspaceId: row.workspaceId,
        workspaceName: row.workspace.name,
        expiresAt: row.invitationExpiresAt,
      };
    },

    /** Activates the member, and creates the account of a new `person`. Throws `NOT_FOUND` if the invitation has been withdrawn. */
    accept: async (
      hash: string,
      person: { id: string } | NewPerson,
      { address, provesAddress }: { address: string; provesAddress: boolean },
    ): Promise<void> => {
      try {
        await inTransaction(prisma, async (tx) => {
          const now = clock.now();
          if ('email' in person) {
            await lockAddress(tx, person.email);
            if (await findProved(tx, person.email)) throw accountExists();
            await tx.person.create({ data: { ...person, createdAt: now, updatedAt: now } });
          }
          const [joined] = await tx.member.updateManyAndReturn({
            where: { invitationHash: hash, personId: null, invitationExpiresAt: { gt: now } },
            data: { personId: person.id, invitationHash: null, invitationExpiresAt: null },
          });
          // Also rolls back the account: a withdrawn invitation creates none.
          if (!joined) throw notFound('Invitation');
          const { id, workspaceId, email } = joined;
          if (provesAddress) await proveAddress(tx, { id: person.id, email }, now);
          await addAuditEntry(
            tx,
            { workspaceId, actor: { kind: 'member', id, email }, address },
            { action: 'member.joined', target: { type: 'member', id, name: email }, at: now },
          );
        });
      } catch (err) {
        if (uniqueViolation(err)) throw accountExists();
        throw err;
      }
    },
  };
}

/** The members of a workspace within `change`; nothing else changes them until the transaction ends. */
export type Team = ReturnType<typeof teamOf>;

function teamOf(
  tx: Tx,
  { id: workspaceId, name: workspaceName }: { id: string; name: string },
  members: readonly Member[],
  clock: Clock,
) {
  const invited = ({ hash, expiresAt, by }: Invitation) => ({
    invitationHash: hash,
    invitationExpiresAt: expiresAt,
    invitedBy: by,
  });
  const recordByGroups = (
    action: string,
    { id, email }: Pick<Member, 'id' | 'email'>,
    address: string,
    changes: Record<string, unknown> = {},
  ) =>
    addAuditEntry(
      tx,
      { workspaceId, actor: { kind: 'service', id: 'single sign-on' }, address },
      { action, target: { type: 'member', id, name: email }, changes, at: clock.now() },
    );
  /** Throws `CONFLICT` at the maximum. */
  const requireRoom = (): void => {
    if (members.length >= MAX_MEMBERS)
      throw conflict(`A workspace has at most ${MAX_MEMBERS} members and invitations: remove one first`);
  };
  const update = async (id: string, data: Prisma.MemberUpdateInput): Promise<Member> =>
    toMember(await tx.member.update({ where: { id }, data }));
  return {
    tx,
    workspaceName,
    members,
    requireRoom,
    /** Adds an entry to the audit log. */
    record: (by: Changer, entry: Omit<AuditEntry, 'at'>) =>
      addAuditEntry(tx, changedBy(by, workspaceId), { ...entry, at: clock.now() }),
    /** Throws `CONFLICT` at the maximum. */
    invite: async (email: string, role: Role, invitation: Invitation): Promise<Member> => {
      requireRoom();
      const common = { id: newId(), workspaceId, email, role, createdAt: clock.now() };
      return toMember(await tx.member.create({ data: { ...common, ...invited(invitation) } }));
    },
    /** Replaces an earlier invitation. */
    reinvite: (id: string, role: Role, invitation: Invitation) =>
      update(id, { role, ...invited(invitation) }),
    setRole: (id: string, role: Role) => update(id, { role }),
    /**
     * Grants a membership by groups of single sign-on: a new one, in place of an invitation, or with another role. Throws `CONFLICT`
     * at the maximum.
     */
    grant: async ({
      person,
      role,
      address,
    }: {
      person: { id: string; email: string };
      role: Role;
      address: string;
    }): Promise<void> => {
      const known = members.find(({ email }) => email === person.email);
      if (!known) requireRoom();
      const granted = {
        role,
        personId: person.id,
        source: 'groups',
        invitationHash: null,
        invitationExpiresAt: null,
      };
      const id = known?.id ?? newId();
      await tx.member.upsert({
        where: { id },
        create: { id, workspaceId, email: person.email, createdAt: clock.now(), ...granted },
        update: granted,
      });
      const action = known?.personId ? 'member.role_changed' : 'member.joined';
      await recordByGroups(action, { id, email: person.email }, address, { role: { to: role } });
    },
    /** Withdraws a membership that groups have granted. */
    withdraw: async (member: Member, address: string): Promise<void> => {
      await tx.member.delete({ where: { id: member.id } });
      await recordByGroups('member.removed', member, address);
    },
    remove: async (id: string): Promise<void> => {
      const { personId, workspaceId } = await tx.member.delete({ where: { id } });
      if (!personId) return;
      await tx.signInLink.deleteMany({ where: { personId, workspaceId } });
      await deleteWithoutMembership(tx, personId);
    },
  };
}

/**
 * The role of a changer, locked until the end of the transaction: waits for a change of the role that is in progress, and
 * blocks later ones. Undefined: no longer a member.
 */
export async function currentRole(tx: Tx, by: Changer): Promise<Role | undefined> {
  if (by.kind === 'operator') return 'owner';
  const [member] = await tx.$queryRaw<{ role: Role }[]>`
    SELECT role FROM members WHERE id = ${by.memberId}::uuid AND person_id IS NOT NULL FOR SHARE`;
  return member?.role;
}

function shownRequired(of: { requireSecondFactor: boolean; requireSso: boolean }) {
  return { require_second_factor: of.requireSecondFactor, require_sso: of.requireSso };
}

function accountExists() {
  return conflict('The account has just been created: try again with its password');
}

function toMember(row: MemberRow): Member {
  const { id, email, personId, invitationExpiresAt, invitedBy, createdAt } = row;
  return { id, email, role: row.role as Role, personId, invitationExpiresAt, invitedBy, createdAt };
}
