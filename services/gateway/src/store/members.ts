import type { Role } from '@parley/contracts';
import { transaction, uniqueViolation } from '@parley/kit/db';
import { conflict, notFound } from '@parley/kit/errors';
import { newId } from '@parley/kit/ids';
import type { Clock } from '@parley/kit/time';
import type { Invitation, Member, MemberStore, Team } from '../domain/people/ports.ts';
import type { Member as MemberRow, Prisma, PrismaClient } from '../generated/prisma/client.ts';

type Tx = Prisma.TransactionClient;

const ORDER = [
  { createdAt: 'asc' },
  { id: 'asc' },
] as const satisfies Prisma.MemberOrderByWithRelationInput[];

export function createMemberStore(prisma: PrismaClient, clock: Clock): MemberStore {
  return {
    list: async (workspaceId, { limit, offset }) => {
      const where = { workspaceId };
      const [rows, total] = await Promise.all([
        prisma.member.findMany({ where, orderBy: [...ORDER], take: limit, skip: offset }),
        prisma.member.count({ where }),
      ]);
      return { items: rows.map(toMember), total };
    },

    find: async (workspaceId, email) => {
      const row = await prisma.member.findUnique({ where: { workspaceId_email: { workspaceId, email } } });
      return row ? toMember(row) : undefined;
    },

    change: <T>(workspaceId: string, work: (team: Team) => Promise<T>) =>
      transaction<Tx, T>(prisma, async (tx) => {
        // Changes of one workspace's members take turns; keys and the like are made meanwhile.
        const held = await tx.$queryRaw<unknown[]>`
          SELECT 1 FROM workspaces WHERE id = ${workspaceId}::uuid FOR NO KEY UPDATE`;
        if (held.length === 0) throw notFound('Workspace');
        // Who is accepting an invitation right now is waited for, and then seen as the member that they are.
        await tx.$queryRaw`SELECT 1 FROM members WHERE workspace_id = ${workspaceId}::uuid FOR UPDATE`;
        const rows = await tx.member.findMany({ where: { workspaceId }, orderBy: [...ORDER] });
        return work(teamOf(tx, workspaceId, rows.map(toMember), clock));
      }),

    findInvitation: async (hash) => {
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

    accept: async (hash, person) => {
      try {
        await transaction<Tx, void>(prisma, async (tx) => {
          const now = clock.now();
          if ('email' in person)
            await tx.person.create({ data: { ...person, createdAt: now, updatedAt: now } });
          const { count } = await tx.member.updateMany({
            where: { invitationHash: hash, personId: null, invitationExpiresAt: { gt: now } },
            data: { personId: person.id, invitationHash: null, invitationExpiresAt: null },
          });
          // Nobody gets an account by an invitation that was taken back meanwhile.
          if (count === 0) throw notFound('Invitation');
        });
      } catch (err) {
        if (uniqueViolation(err))
          throw conflict('The account has just been made: try again with its password');
        throw err;
      }
    },
  };
}

function teamOf(tx: Tx, workspaceId: string, members: readonly Member[], clock: Clock): Team {
  const invited = ({ hash, expiresAt, by }: Invitation) => ({
    invitationHash: hash,
    invitationExpiresAt: expiresAt,
    invitedBy: by,
  });
  const update = async (id: string, data: Prisma.MemberUpdateInput) =>
    toMember(await tx.member.update({ where: { id }, data }));
  return {
    tx,
    members,
    invite: async (email, role, invitation) =>
      toMember(
        await tx.member.create({
          data: {
            id: newId(),
            workspaceId,
            email,
            role,
            createdAt: clock.now(),
            ...invited(invitation),
          },
        }),
      ),
    reinvite: (id, role, invitation) => update(id, { role, ...invited(invitation) }),
    setRole: (id, role) => update(id, { role }),
    remove: async (id) => {
      await tx.member.delete({ where: { id } });
    },
  };
}

function toMember(row: MemberRow): Member {
  const { id, email, personId, invitationExpiresAt, invitedBy, createdAt } = row;
  return { id, email, role: row.role as Role, personId, invitationExpiresAt, invitedBy, createdAt };
}
