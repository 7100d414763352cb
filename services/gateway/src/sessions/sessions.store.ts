import { ROLES, type Role } from '@parley/contracts';
import { queryRow, sql } from '@parley/kit/db';
import { realNow } from '@parley/kit/time';
import { z } from 'zod';
import type { WorkspaceLimits } from '../limits/request-limits.ts';
import type { Required } from '../people/members.store.ts';
import { inTransaction, type PrismaClient } from '../prisma.ts';
import type { UsedChallenge } from '../sign-in/challenge.ts';

/** How a person signed in; `second_factor` is a password and a code, `link` the operator's one-time link. */
const signedInBy = z.enum(['password', 'second_factor', 'sso', 'link']);
export type SignedInBy = z.output<typeof signedInBy>;

/** The data of a session that requests need. */
export type KnownSession = {
  id: string;
  personId: string;
  email: string;
  isAddressProved: boolean;
  signedInBy: SignedInBy;
  lastSeenAt: Date;
  expiresAt: Date;
  /** In the selected workspace; null if none is selected or the membership has ended. */
  member: {
    id: string;
    role: Role;
    workspaceId: string;
    limits: WorkspaceLimits;
    requires: Required;
  } | null;
};

export type SessionRow = {
  id: string;
  personId: string;
  workspaceId: string | null;
  address: string;
  userAgent: string;
  signedInBy: SignedInBy;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
};

const knownRow = z.object({
  id: z.string(),
  personId: z.string(),
  email: z.string(),
  isAddressProved: z.boolean(),
  signedInBy,
  lastSeenAt: z.date(),
  expiresAt: z.date(),
  memberId: z.string().nullable(),
  workspaceId: z.string().nullable(),
  role: z.enum(ROLES).nullable(),
  limits: z.object({
    requestsPerMinute: z.number(),
    requestBurst: z.number().nullable(),
    callsPerSecond: z.number().nullable(),
    callBurst: z.number().nullable(),
    maxStoredMb: z.number().nullable(),
    storedMb: z.number(),
    suspendedAt: z.coerce.date().nullable(),
  }),
  requires: z.object({ secondFactor: z.boolean(), sso: z.boolean() }),
});

const SWEEP_BATCH = 1_000;

export type SessionStore = ReturnType<typeof createSessionStore>;

export function createSessionStore(prisma: PrismaClient, perPerson: number) {
  return {
    /** Includes the current membership and workspace. */
    findByHash: async (hash: string): Promise<KnownSession | undefined> => {
      const row = await queryRow(
        prisma,
        knownRow,
        sql`
        SELECT s.id::text, s.person_id::text AS "personId", p.email, p.proved_at IS NOT NULL AS "isAddressProved",
          s.signed_in_by AS "signedInBy", s.last_seen_at AS "lastSeenAt", s.expires_at AS "expiresAt",
          m.id::text AS "memberId", m.workspace_id::text AS "workspaceId", m.role,
          json_build_object('requestsPerMinute', coalesce(w.requests_per_minute, 0), 'requestBurst', w.request_burst,
            'callsPerSecond', w.calls_per_second, 'callBurst', w.call_burst, 'maxStoredMb', w.max_stored_mb,
            'storedMb', coalesce(w.stored_mb, 0), 'suspendedAt', w.suspended_at) AS limits,
          json_build_object('secondFactor', coalesce(w.require_second_factor, false),
            'sso', coalesce(w.require_sso, false)) AS requires
        FROM sessions s JOIN people p ON p.id = s.person_id
          LEFT JOIN members m ON m.workspace_id = s.workspace_id AND m.person_id = s.person_id
          LEFT JOIN workspaces w ON w.id = m.workspace_id
        WHERE s.token_hash = ${hash}`,
      );
      if (!row) return undefined;
      const { memberId, workspaceId, role, limits, requires, ...session } = row;
      const isMember = memberId && workspaceId && role;
      return { ...session, member: isMember ? { id: memberId, workspaceId, role, limits, requires } : null };
    },

    /**
     * Replaces the browser's former session (`formerHash`, of its token) and the person's oldest ones above the maximum. False
     * if `passwordHash`, with which the person signed in (null: without), has changed in the meantime, or the challenge was used.
     */
    create: (
      session: SessionRow & { tokenHash: string },
      by: {
        passwordHash: string | null;
        formerHash: string | undefined;
        challenge: UsedChallenge | undefined;
      },
    ): Promise<boolean> =>
      inTransaction(prisma, async (tx) => {
        const { personId } = session;
        const { passwordHash, formerHash, challenge } = by;
        // Serializes the person's sign-ins, also with a change of the password.
        const locked = await tx.$queryRaw<unknown[]>`
          SELECT 1 FROM people WHERE id = ${personId}::uuid
            AND (${passwordHash}::text IS NULL OR password_hash = ${passwordHash}) FOR NO KEY UPDATE`;
        if (locked.length === 0) return false;
        const used = { data: challenge ?? [], skipDuplicates: true };
        if (challenge && (await tx.usedChallenge.createMany(used)).count === 0) return false;
        if (formerHash !== undefined) await tx.session.deleteMany({ where: { tokenHash: formerHash } });
        await tx.session.create({ data: session });
        await tx.$executeRaw`
          DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE person_id = ${personId}::uuid
            ORDER BY created_at DESC, id DESC OFFSET ${perPerson})`;
        return true;
      }),

    pick: async (id: string, workspaceId: string): Promise<void> => {
      await prisma.session.updateMany({ where: { id }, data: { workspaceId } });
    },

    /** Newest first. */
    list: async (personId: string): Promise<SessionRow[]> => {
      const rows = await prisma.session.findMany({
        where: { personId },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        omit: { tokenHash: true },
        take: perPerson,
      });
      return rows.map((row) => ({ ...row, signedInBy: row.signedInBy as SignedInBy }));
    },

    /** False: the person has no such session. */
    remove: async (personId: string, id: string): Promise<boolean> =>
      (await prisma.session.deleteMany({ where: { id, personId } })).count === 1,

    markUsed: async (ids: readonly string[], at: Date): Promise<void> => {
      await prisma.session.updateMany({ where: { id: { in: [...ids] } }, data: { lastSeenAt: at } });
    },

    /** Deletes sessions that expired before `now` or were last used before `idleSince`, and used challenges that expired. */
    sweep: async (now: Date, idleSince: Date): Promise<void> => {
      await prisma.usedChallenge.deleteMany({ where: { expiresAt: { lte: realNow() } } });
      for (let deleted = SWEEP_BATCH; deleted === SWEEP_BATCH; ) {
        deleted = await prisma.$executeRaw`
          DELETE FROM sessions WHERE ctid IN (SELECT ctid FROM sessions
            WHERE last_seen_at <= ${idleSince} OR expires_at <= ${now} LIMIT ${SWEEP_BATCH} FOR UPDATE SKIP LOCKED)`;
      }
    },
  };
}
