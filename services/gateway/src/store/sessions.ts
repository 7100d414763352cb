import type { Role } from '@parley/contracts';
import type { KnownSession, SessionStore } from '../domain/people/ports.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';

type Row = Omit<KnownSession, 'member'> & {
  memberId: string | null;
  workspaceId: string | null;
  role: Role | null;
  requestsPerMinute: number;
  requestBurst: number | null;
  callsPerSecond: number | null;
  callBurst: number | null;
};

export function createSessionStore(prisma: PrismaClient): SessionStore {
  return {
    findByHash: async (hash) => {
      // The membership is looked up each time: who was removed, or has another role now, is that from the next look on.
      const [row] = await prisma.$queryRaw<Row[]>`
        SELECT s.id, s.person_id AS "personId", p.email, s.last_seen_at AS "lastSeenAt", s.expires_at AS "expiresAt",
          m.id AS "memberId", m.workspace_id AS "workspaceId", m.role, w.requests_per_minute AS "requestsPerMinute",
          w.request_burst AS "requestBurst", w.calls_per_second AS "callsPerSecond", w.call_burst AS "callBurst"
        FROM sessions s JOIN people p ON p.id = s.person_id
          LEFT JOIN members m ON m.workspace_id = s.workspace_id AND m.person_id = s.person_id
          LEFT JOIN workspaces w ON w.id = m.workspace_id
        WHERE s.token_hash = ${hash}`;
      return row && toKnownSession(row);
    },
    create: async ({ id, personId, workspaceId, tokenHash, ...rest }, passwordHash) => {
      const { createdAt, lastSeenAt, expiresAt, address, userAgent } = rest;
      const rows = await prisma.$executeRaw`
        INSERT INTO sessions (id, person_id, workspace_id, token_hash, created_at, last_seen_at, expires_at, address, user_agent)
        SELECT ${id}::uuid, p.id, ${workspaceId}::uuid, ${tokenHash}::text, ${createdAt}::timestamptz,
          ${lastSeenAt}::timestamptz, ${expiresAt}::timestamptz, ${address}::text, ${userAgent}::text
        FROM people p WHERE p.id = ${personId}::uuid AND p.password_hash = ${passwordHash} FOR SHARE`;
      return rows === 1;
    },
    pick: async (id, workspaceId) => {
      await prisma.session.updateMany({ where: { id }, data: { workspaceId } });
    },
    list: (personId) =>
      prisma.session.findMany({
        where: { personId },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        omit: { tokenHash: true },
      }),
    remove: async (personId, id) =>
      (await prisma.session.deleteMany({ where: { id, personId } })).count === 1,
    markUsed: async (ids, at) => {
      await prisma.session.updateMany({ where: { id: { in: [...ids] } }, data: { lastSeenAt: at } });
    },
    sweep: async (now, idleSince) => {
      await prisma.session.deleteMany({
        where: { OR: [{ lastSeenAt: { lte: idleSince } }, { expiresAt: { lte: now } }] },
      });
    },
  };
}

function toKnownSession(row: Row): KnownSession {
  const { memberId, workspaceId, role, requestsPerMinute, requestBurst, callsPerSecond, callBurst, ...rest } =
    row;
  const limits = { requestsPerMinute, requestBurst, callsPerSecond, callBurst };
  const member = memberId && workspaceId && role ? { id: memberId, workspaceId, role, limits } : null;
  return { ...rest, member };
}
