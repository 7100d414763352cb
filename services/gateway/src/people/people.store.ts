import type { Role } from '@parley/contracts';
import type { Clock } from '@parley/kit/time';
import { addAccountEntries } from '../audit/audit-log.store.ts';
import { inTransaction, type PrismaClient } from '../prisma.ts';
import { proveAddress } from './accounts.store.ts';
import type { AccountChange } from './changes.ts';

export type Person = {
  id: string;
  email: string;
  /** Null: the person signs in by single sign-on only. */
  passwordHash: string | null;
  /** The only workspace of an account whose address is not proved. */
  homeWorkspaceId: string | null;
  provedAt: Date | null;
};
export type NewPerson = Omit<Person, 'provedAt'>;
export type Membership = {
  workspaceId: string;
  workspaceName: string;
  role: Role;
  /** Granted by an invitation, or by the groups of single sign-on. */
  source: 'invitation' | 'groups';
};

const PERSON = { id: true, email: true, passwordHash: true, homeWorkspaceId: true, provedAt: true } as const;

export type PeopleStore = ReturnType<typeof createPeopleStore>;

export function createPeopleStore(prisma: PrismaClient, clock: Clock) {
  return {
    find: async (id: string): Promise<Person | undefined> =>
      (await prisma.person.findUnique({ where: { id }, select: PERSON })) ?? undefined,

    /** Every account of an address: the one that has proved it first, then the oldest. */
    findByEmail: (email: string): Promise<Person[]> =>
      prisma.person.findMany({
        where: { email },
        select: PERSON,
        orderBy: [{ provedAt: { sort: 'asc', nulls: 'last' } }, { createdAt: 'asc' }, { id: 'asc' }],
      }),

    /** Client addresses of the accounts' sessions, including recently ended ones. */
    addressesOf: async (personIds: readonly string[]): Promise<string[]> => {
      const where = { personId: { in: [...personIds] } };
      const rows = await prisma.session.findMany({ where, select: { address: true } });
      return rows.map(({ address }) => address);
    },

    /** Active memberships, the oldest first. */
    memberships: async (personId: string): Promise<Membership[]> => {
      const rows = await prisma.member.findMany({
        where: { personId },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
        select: { workspaceId: true, role: true, source: true, workspace: { select: { name: true } } },
      });
      return rows.map(({ workspaceId, role, source, workspace }) => ({
        workspaceId,
        workspaceName: workspace.name,
        role: role as Role,
        source: source as Membership['source'],
      }));
    },

    /** Stores a new hash of the same password, for example with a higher cost. False: the password was changed meanwhile. */
    rehashPassword: async (
      { id, passwordHash: former }: Pick<Person, 'id' | 'passwordHash'>,
      passwordHash: string,
    ): Promise<boolean> => {
      const data = { passwordHash, updatedAt: clock.now() };
      return (await prisma.person.updateMany({ where: { id, passwordHash: former }, data })).count === 1;
    },

    /**
     * Ends all sessions of the person except `keptSessionId`, also one that a concurrent sign-in with the old password creates, and
     * deletes their sign-in links.
     */
    setPassword: (id: string, passwordHash: string, keptSessionId: string | null, by: AccountChange) =>
      inTransaction(prisma, async (tx) => {
        const at = clock.now();
        const others = keptSessionId ? { id: { not: keptSessionId } } : {};
        // First, because a sign-in locks the person: this waits for it, so that its session is deleted below.
        await tx.person.updateMany({ where: { id }, data: { passwordHash, updatedAt: at } });
        await tx.session.deleteMany({ where: { personId: id, ...others } });
        await tx.signInLink.deleteMany({ where: { personId: id } });
        await addAccountEntries(tx, id, by, { action: 'member.password_changed', at });
      }),

    /** See `proveAddress`. */
    prove: (id: string) =>
      inTransaction(prisma, async (tx) => {
        const { email } = await tx.person.findUniqueOrThrow({ where: { id }, select: { email: true } });
        return proveAddress(tx, { id, email }, clock.now());
      }),

    /** Deletes unproved accounts without a membership. */
    sweep: () => prisma.person.deleteMany({ where: { provedAt: null, members: { none: {} } } }),
  };
}
