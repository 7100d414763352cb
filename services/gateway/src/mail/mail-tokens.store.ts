import type { Clock } from '@parley/kit/time';
import { addAccountEntries } from '../audit/audit-log.store.ts';
import { lockAddress, proveAddress } from '../people/accounts.store.ts';
import type { AccountChange } from '../people/changes.ts';
import { inTransaction, type PrismaClient } from '../prisma.ts';

export type MailToken = { kind: 'proof'; email: string; personId: string } | { kind: 'reset'; email: string };

export type MailTokenStore = ReturnType<typeof createMailTokenStore>;

/** Links in mails, by the hash of their token. */
export function createMailTokenStore(prisma: PrismaClient, clock: Clock) {
  const isValid = () => ({ expiresAt: { gt: clock.now() } });
  return {
    add: async (hash: string, token: MailToken, expiresAt: Date): Promise<void> => {
      await prisma.mailToken.create({ data: { hash, ...token, expiresAt } });
    },

    /** The address whose password the link resets; undefined: no such link, or it has expired. */
    emailOfReset: async (hash: string): Promise<string | undefined> =>
      (await prisma.mailToken.findFirst({ where: { hash, kind: 'reset', ...isValid() } }))?.email,

    /** Proves the address of the account that requested the link. False: no such link, or it has expired. */
    useProof: (hash: string, personId: string) =>
      inTransaction(prisma, async (tx) => {
        const where = { hash, kind: 'proof', personId, ...isValid() };
        const token = await tx.mailToken.findFirst({ where });
        if (!token || (await tx.mailToken.deleteMany({ where })).count === 0) return false;
        await proveAddress(tx, { id: personId, email: token.email }, clock.now());
        return true;
      }),

    /** Sets the password of the address' account, ends its sessions and proves the address. False: the link has expired. */
    useReset: (hash: string, passwordHash: string, by: AccountChange) =>
      inTransaction(prisma, async (tx) => {
        const where = { hash, kind: 'reset', ...isValid() };
        const token = await tx.mailToken.findFirst({ where });
        if (!token || (await tx.mailToken.deleteMany({ where })).count === 0) return false;
        const { email } = token;
        await lockAddress(tx, email);
        const person = await tx.person.findFirst({
          where: {
            email,
            OR: [{ provedAt: { not: null } }, { totpFactor: null }, { totpFactor: { confirmedAt: null } }],
          },
          orderBy: [{ provedAt: { sort: 'asc', nulls: 'last' } }, { createdAt: 'asc' }, { id: 'asc' }],
        });
        if (!person) return false;
        const now = clock.now();
        const { id } = person;
        await tx.person.update({ where: { id }, data: { passwordHash, updatedAt: now } });
        await tx.session.deleteMany({ where: { personId: id } });
        await tx.signInLink.deleteMany({ where: { personId: id } });
        // Links that were mailed earlier become invalid too.
        await tx.mailToken.deleteMany({ where: { email, kind: 'reset' } });
        const account = await proveAddress(tx, { id, email }, now);
        await addAccountEntries(tx, account, by, { action: 'member.password_changed', at: now });
        return true;
      }),

    sweep: async (): Promise<void> => {
      await prisma.mailToken.deleteMany({ where: { expiresAt: { lte: clock.now() } } });
    },
  };
}
