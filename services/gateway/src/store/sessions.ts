import type { Role } from '@parley/contracts';
import { transaction } from '@parley/kit/db';
import type { KnownSession, SessionStore } from '../domain/people/ports.ts';
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';

type Row = Omit<KnownSession, 'member'> & {
  memberId: string | null;
  workspaceId: string | null;
  role: Role | null;
  requestsPerMinute: number;
  requestBurst: number | null;
  callsPerSecond: number | null;
  callBurst: number | null;
};

const SWEEP_BATCH = 1_000;

export function createSessionStore(prisma: PrismaClient, perPerson: number): SessionStore {
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
    create: (session, passwordHash, formerHash) =>
      transaction<Prisma.TransactionClient, boolean>(prisma, async (tx) => {
        const { personId } = session;
        // Sign-ins of one person take turns, and a new password is waited for, or waits.
        const held = await tx.$queryRaw<unknown[]>`
          SELECT 1 FROM people WHERE id = ${personId}::uuid AND password_hash = ${passwordHash} FOR NO KEY UPDATE`;
        if (held.length === 0) return false;
        if (formerHash !== undefined) await tx.session.deleteMany({ where: { tokenHash: formerHash } });
        await tx.session.create({ data: session });
        await tx.$executeRaw`
          DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE person_id = ${personId}::uuid
            ORDER BY created_at DESC, id DESC OFFSET ${perPerson})`;
        return true;
      }),
    pick: async (id, workspaceId) => {
      await prisma.session.updateMany({ where: { id }, data: { workspaceId } });
    },
    list: (personId) =>
      prisma.session.findMany({
        where: { personId },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        omit: { tokenHash: true },
        take: perPerson,
      }),
    remove: async (personId, id) =>
      (await prisma.session.deleteMany({ where: { id, personId } })).count === 1,
    markUsed: async (ids, at) => {
      await prisma.session.updateMany({ where: { id: { in: [...ids] } }, data: { lastSeenAt: at } });
    },
    sweep: async (now, idleSince) => {
      let deleted = 0;
      for (let batch = SWEEP_BATCH; batch === SWEEP_BATCH; deleted += batch) {
        batch = await prisma.$executeRaw`
          DELETE FROM sessions WHERE ctid IN (SELECT ctid FROM sessions
            WHERE last_seen_at <= ${idleSince} OR expires_at <= ${now} LIMIT ${SWEEP_BATCH} FOR UPDATE SKIP LOCKED)`;
      }
      return deleted;
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
