import { queryRows, sql } from '@parley/kit/db';
import { z } from 'zod';
import type { SipTrunk } from '../clients/ports.ts';
import type { PrismaClient, Tx } from '../prisma.ts';
import type { PhoneNumber } from './phone-number.ts';

export type TrunkRemovals = ReturnType<typeof createTrunkRemovals>;

const MAX_REMOVALS = 20;
const trunkRow = z.object({ numberId: z.string(), phoneNumber: z.string() });

/** SIP trunks of deleted numbers that are to be removed at the carrier. */
export function createTrunkRemovals(prisma: PrismaClient) {
  return {
    add: async (tx: Tx, { id, phoneNumber }: PhoneNumber, now: Date): Promise<void> => {
      await tx.trunkRemoval.create({ data: { phoneNumberId: id, phoneNumber, dueAt: now } });
    },

    /** Claims due removals and schedules a retry in case the claimant fails: after 30 seconds, doubling up to an hour. */
    claim: (now: Date): Promise<SipTrunk[]> =>
      queryRows(
        prisma,
        trunkRow,
        sql`UPDATE trunk_removals t SET attempts = attempts + 1,
            due_at = ${now}::timestamptz + LEAST(3600, 30 * 2 ^ LEAST(attempts, 7)) * interval '1 second'
          WHERE phone_number_id IN (
            SELECT phone_number_id FROM trunk_removals WHERE due_at <= ${now}::timestamptz
            ORDER BY due_at LIMIT ${MAX_REMOVALS} FOR UPDATE SKIP LOCKED
          )
          RETURNING phone_number_id::text AS "numberId", phone_number AS "phoneNumber"`,
      ),

    done: async ({ numberId }: SipTrunk): Promise<void> => {
      await prisma.trunkRemoval.deleteMany({ where: { phoneNumberId: numberId } });
    },
  };
}
