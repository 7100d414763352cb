import type { Role } from '@parley/contracts';
import { queryRow, sql } from '@parley/kit/db';
import { notFound } from '@parley/kit/errors';
import { newId } from '@parley/kit/ids';
import type { Clock } from '@parley/kit/time';
import { z } from 'zod';
import { addAuditEntry } from '../audit/audit-log.store.ts';
import { findProved, lockAddress } from '../people/accounts.store.ts';
import { type Changer, changedBy } from '../people/changes.ts';
import { inTransaction, type PrismaClient, type Tx } from '../prisma.ts';

const usedRow = z.object({ personId: z.string(), workspaceId: z.string(), isValid: z.boolean() });

export type SignInLinkStore = ReturnType<typeof createSignInLinkStore>;

/** Links that sign a person in once, by the hash of their token [dashboard.4]. */
export function createSignInLinkStore(prisma: PrismaClient, clock: Clock) {
  return {
    /**
     * Adds a link for a member of the workspace, replacing an earlier one. With `role`, a person who is not a member yet becomes one; a
     * new account has no password. Undefined: not a member. Throws `NOT_FOUND` for an unknown workspace.
     */
    add: (
      { hash, workspaceId, email, role }: NewLink,
      by: Changer,
    ): Promise<{ expiresAt: Date } | undefined> =>
      inTransaction(prisma, async (tx) => {
        const workspace = { id: workspaceId, deletedAt: null };
        if (!(await tx.workspace.findFirst({ where: workspace, select: { id: true } })))
          throw notFound('Workspace');
        await lockAddress(tx, email);
        const where = { workspaceId_email: { workspaceId, email } };
        const member = await tx.member.findUnique({ where });
        const personId = member?.personId ?? (role && (await admit(tx, { workspaceId, email, role, by })));
        if (!personId) return undefined;
        await tx.signInLink.deleteMany({ where: { personId, workspaceId } });
        const [link] = await tx.$queryRaw<{ expiresAt: Date }[]>`
          INSERT INTO sign_in_links (hash, person_id, workspace_id, expires_at)
          VALUES (${hash}, ${personId}::uuid, ${workspaceId}::uuid, clock_timestamp() + interval '1 hour')
          RETURNING expires_at AS "expiresAt"`;
        await record(tx, 'member.link_created', { workspaceId, email }, by);
        return link;
      }),

    /** The member whose link it is; it can't be used again. Undefined: unknown, used or expired, or no longer a member. */
    use: (hash: string, from: { address: string; requestId: string }) =>
      inTransaction(prisma, async (tx) => {
        const link = await queryRow(
          tx,
          usedRow,
          sql`DELETE FROM sign_in_links WHERE hash = ${hash}
            RETURNING person_id::text AS "personId", workspace_id::text AS "workspaceId",
              expires_at > clock_timestamp() AS "isValid"`,
        );
        if (!link?.isValid) return undefined;
        const { personId, workspaceId } = link;
        const member = await tx.member.findFirst({ where: { personId, workspaceId } });
        if (!member) return undefined;
        const { id: memberId, email } = member;
        const by = { kind: 'member', memberId, email, ...from } as const;
        await record(tx, 'member.link_used', { workspaceId, email }, by);
        return { personId, workspaceId };
      }),

    sweep: async (): Promise<void> => {
      await prisma.$executeRaw`DELETE FROM sign_in_links WHERE expires_at <= clock_timestamp()`;
    },
  };

  /** Makes a person a member in place of an invitation; the operator vouches for them. Returns the account's id. */
  async function admit(tx: Tx, { workspaceId, email, role, by }: Admitted): Promise<string> {
    const now = clock.now();
    const own = await tx.person.findFirst({ where: { email, homeWorkspaceId: workspaceId } });
    const known = (await findProved(tx, email)) ?? own;
    const id = known?.id ?? newId();
    const times = { createdAt: now, updatedAt: now };
    if (!known) await tx.person.create({ data: { id, email, homeWorkspaceId: workspaceId, ...times } });
    const joined = { role, personId: id, invitationHash: null, invitationExpiresAt: null };
    await tx.member.upsert({
      where: { workspaceId_email: { workspaceId, email } },
      create: { id: newId(), workspaceId, email, createdAt: now, ...joined },
      update: joined,
    });
    await record(tx, 'member.joined', { workspaceId, email }, by, { role: { to: role } });
    return id;
  }

  async function record(
    tx: Tx,
    action: `member.${string}`,
    { workspaceId, email }: { workspaceId: string; email: string },
    by: Changer,
    changes: Record<string, unknown> = {},
  ): Promise<void> {
    const where = { workspaceId_email: { workspaceId, email } };
    const { id } = await tx.member.findUniqueOrThrow({ where, select: { id: true } });
    const target = { type: 'member', id, name: email };
    await addAuditEntry(tx, changedBy(by, workspaceId), { action, target, changes, at: clock.now() });
  }
}

type NewLink = { hash: string; workspaceId: string; email: string; role: Role | undefined };
type Admitted = { workspaceId: string; email: string; role: Role; by: Changer };
