import { isLockTimeout } from '@parley/kit/db';
import type { Outbox } from '@parley/kit/outbox';
import { keptChanging } from '../domain/assistants/kept-changing.ts';
import type { Transact } from '../domain/ports.ts';
import type { Prisma } from '../generated/prisma/client.ts';

/** How long a transaction waits for a row that another one holds; real time, as all that measures waiting for others. */
const BOUND_WAITS = "SET LOCAL lock_timeout = '2s'";

/** Transactions with an outbox, in which nobody waits for long: everything of an assistant hangs on its one row. */
export function createTransact(outbox: Outbox<Prisma.TransactionClient>): Transact {
  return async (work) => {
    try {
      return await outbox.transaction(async (tx) => {
        await tx.$executeRawUnsafe(BOUND_WAITS);
        return work(tx);
      });
    } catch (err) {
      throw isLockTimeout(err) ? keptChanging(err) : err;
    }
  };
}
