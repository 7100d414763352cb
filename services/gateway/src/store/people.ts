import type { Role } from '@parley/contracts';
import type { Clock } from '@parley/kit/time';
import type { PeopleStore } from '../domain/people/ports.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';

export function createPeopleStore(prisma: PrismaClient, clock: Clock): PeopleStore {
  return {
    findByEmail: async (email) =>
      (await prisma.person.findUnique({
        where: { email },
        select: { id: true, email: true, passwordHash: true },
      })) ?? undefined,
    memberships: async (personId) => {
      const rows = await prisma.member.findMany({
        where: { personId },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
        select: { workspaceId: true, role: true, workspace: { select: { name: true } } },
      });
      return rows.map(({ workspaceId, role, workspace }) => ({
        workspaceId,
        workspaceName: workspace.name,
        role: role as Role,
      }));
    },
    renewPassword: async ({ id, passwordHash: former }, passwordHash) => {
      const { count } = await prisma.person.updateMany({
        where: { id, passwordHash: former },
        data: { passwordHash, updatedAt: clock.now() },
      });
      return count === 1;
    },
    setPassword: async (id, passwordHash, keptSessionId) => {
      const others = keptSessionId ? { id: { not: keptSessionId } } : {};
      // In this order: a session that is being made holds the person, and is there to be deleted then.
      await prisma.$transaction([
        prisma.person.updateMany({ where: { id }, data: { passwordHash, updatedAt: clock.now() } }),
        prisma.session.deleteMany({ where: { personId: id, ...others } }),
      ]);
    },
  };
}
