import type { Outbox } from '@parley/kit/outbox';
import type { BusyNumber } from '../domain/ports.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import { BY_INDEX } from './by-index.ts';
import { HAS_DUE } from './due-contacts.ts';

type Tx = Prisma.TransactionClient;

const BUSY = `
  SELECT busy.phone_number_id::text AS "phoneNumberId", (
    SELECT count(*)::int FROM attempts a WHERE a.phone_number_id = busy.phone_number_id AND a.state = 'requested'
  ) AS outstanding
  FROM (SELECT DISTINCT c.phone_number_id FROM campaigns c WHERE c.status = 'running' AND ${HAS_DUE}) AS busy`;

/** Numbers of running campaigns that have somebody to dial. */
export function createBusyNumbers(
  transaction: Outbox<Tx>['transaction'],
): (now: Date) => Promise<BusyNumber[]> {
  return (now) =>
    transaction(async (tx) => {
      await tx.$executeRawUnsafe(BY_INDEX);
      return tx.$queryRawUnsafe<BusyNumber[]>(BUSY, now.toISOString());
    });
}
