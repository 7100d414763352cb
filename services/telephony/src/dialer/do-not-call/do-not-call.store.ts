import { sql } from '@parley/kit/db';
import type { PrismaClient } from '../../prisma.ts';
import type { DoNotCallList } from './ports.ts';

export function createDoNotCallList(prisma: PrismaClient): DoNotCallList {
  return {
    holds: async (workspaceId, phoneNumber) => {
      const where = { workspaceId_phoneNumber: { workspaceId, phoneNumber } };
      return (await prisma.doNotCall.findUnique({ where, select: { phoneNumber: true } })) !== null;
    },
    // In the order of the numbers: concurrent additions of the same ones wait for each other and never deadlock.
    add: (tx, workspaceId, phoneNumbers, now) =>
      tx.$executeRaw(sql`
        INSERT INTO do_not_call (workspace_id, phone_number, created_at)
        SELECT ${workspaceId}::uuid, number, ${now.toISOString()}::timestamptz
        FROM unnest(${[...phoneNumbers]}::text[]) AS given (number) GROUP BY number ORDER BY number
        ON CONFLICT DO NOTHING`),
    remove: async (tx, workspaceId, phoneNumber) =>
      (await tx.doNotCall.deleteMany({ where: { workspaceId, phoneNumber } })).count > 0,
    page: async (workspaceId, { limit, offset, part }) => {
      const where = { workspaceId, ...(part === undefined ? {} : { phoneNumber: { contains: part } }) };
      const [total, items] = await Promise.all([
        prisma.doNotCall.count({ where }),
        prisma.doNotCall.findMany({
          where,
          orderBy: [{ createdAt: 'desc' }, { phoneNumber: 'asc' }],
          take: limit,
          skip: offset,
          select: { phoneNumber: true, createdAt: true },
        }),
      ]);
      return { items, total };
    },
  };
}
