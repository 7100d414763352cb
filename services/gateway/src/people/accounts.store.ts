import type { Prisma } from '../generated/prisma/client.ts';
import type { Tx } from '../prisma.ts';

/** Serializes changes to the accounts of an address until the end of the transaction. */
export async function lockAddress(tx: Tx, email: string): Promise<void> {
  await tx.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`people ${email}`}, 0))::text`;
}

/** The account that has proved the address, if there is one; call it under the lock of the address. */
export async function findProved(tx: Tx, email: string): Promise<{ id: string } | undefined> {
  const person = await tx.person.findFirst({
    where: { email, provedAt: { not: null } },
    select: { id: true },
  });
  return person ?? undefined;
}

/**
 * Assigns the address to this account only and merges the other accounts of the address into it [access.11]; if another
 * account has already proved the address, merges this one into it. Returns the id of the remaining account.
 */
export async function proveAddress(
  tx: Tx,
  { id, email }: { id: string; email: string },
  now: Date,
): Promise<string> {
  await lockAddress(tx, email);
  const proved = await findProved(tx, email);
  const kept = proved?.id ?? id;
  if (!proved) {
    const data = { provedAt: now, homeWorkspaceId: null, updatedAt: now };
    await tx.person.update({ where: { id }, data });
  }
  await mergeInto(tx, kept, { email, id });
  return kept;
}

/**
 * Moves memberships; sessions and passwords end with their accounts. An account with a second factor stays separate unless
 * its own session proves the address (`by`): the address alone must not bypass the second factor.
 */
async function mergeInto(tx: Tx, id: string, by: { email: string; id: string }): Promise<void> {
  const others: Prisma.PersonWhereInput = {
    email: by.email,
    provedAt: null,
    id: { not: id },
    OR: [{ id: by.id }, { totpFactor: null }, { totpFactor: { confirmedAt: null } }],
  };
  const ids = (await tx.person.findMany({ where: others, select: { id: true } })).map((other) => other.id);
  if (ids.length === 0) return;
  await tx.member.updateMany({ where: { personId: { in: ids } }, data: { personId: id } });
  await tx.person.deleteMany({ where: { id: { in: ids } } });
}

/** Deletes an unproved account that has lost its last membership. */
export async function deleteWithoutMembership(tx: Tx, personId: string): Promise<void> {
  await tx.person.deleteMany({ where: { id: personId, provedAt: null, members: { none: {} } } });
}
