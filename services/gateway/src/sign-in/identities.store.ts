import { newId } from '@parley/kit/ids';
import type { Clock } from '@parley/kit/time';
import { findProved, lockAddress, proveAddress } from '../people/accounts.store.ts';
import { inTransaction, type PrismaClient, type Tx } from '../prisma.ts';

export type Identity = { issuer: string; subject: string };

export type IdentityStore = ReturnType<typeof createIdentityStore>;

export function createIdentityStore(prisma: PrismaClient, clock: Clock) {
  const find = async (tx: Tx, { issuer, subject }: Identity) =>
    (
      await tx.identity.findUnique({
        where: { issuer_subject: { issuer, subject } },
        select: { person: { select: { id: true, email: true } } },
      })
    )?.person;

  return {
    /**
     * The account of an identity. A new identity with a checked address is linked to the account that has proved it; otherwise
     * it proves the address for `linkTo` (an account of that address whose session began the sign-in) or for a new account.
     * Undefined: neither is possible. `isWelcome`: an account may be created without an invitation.
     */
    resolve: (
      identity: Identity,
      input: { address: string | undefined; linkTo: string | undefined; isWelcome: boolean },
    ): Promise<{ id: string; email: string } | undefined> =>
      inTransaction(prisma, async (tx) => {
        const { address, linkTo, isWelcome } = input;
        const known = await find(tx, identity);
        if (known || address === undefined) return known;
        await lockAddress(tx, address);
        // A concurrent sign-in of the person may have created it before the lock.
        const created = await find(tx, identity);
        if (created) return created;
        const linked = await tx.person.findFirst({ where: { id: linkTo ?? newId(), email: address } });
        if (!linked && !isWelcome && !(await isMemberSomewhere(tx, address))) return undefined;
        const now = clock.now();
        const id =
          linked?.id ?? (await findProved(tx, address))?.id ?? (await createPerson(tx, address, now));
        const personId = await proveAddress(tx, { id, email: address }, now);
        await tx.identity.create({ data: { ...identity, personId, createdAt: now } });
        return { id: personId, email: address };
      }),
  };
}

/** Whether the address belongs to a member or an invitation. */
async function isMemberSomewhere(tx: Tx, email: string): Promise<boolean> {
  return (await tx.member.findFirst({ where: { email }, select: { id: true } })) !== null;
}

async function createPerson(tx: Tx, email: string, now: Date): Promise<string> {
  const id = newId();
  await tx.person.create({ data: { id, email, passwordHash: null, createdAt: now, updatedAt: now } });
  return id;
}
