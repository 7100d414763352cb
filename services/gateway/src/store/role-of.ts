import type { Role } from '@parley/contracts';
import type { Changer } from '../domain/people/changer.ts';
import type { Prisma } from '../generated/prisma/client.ts';

/**
 * What somebody is until the end of the transaction: whoever is changing it right now is waited for, and whoever wants to waits.
 * Undefined: no member any more.
 */
export async function roleOf(tx: Prisma.TransactionClient, by: Changer): Promise<Role | undefined> {
  if (by.kind === 'operator') return 'owner';
  const [member] = await tx.$queryRaw<{ role: Role }[]>`
    SELECT role FROM members WHERE id = ${by.memberId}::uuid AND person_id IS NOT NULL FOR SHARE`;
  return member?.role;
}
