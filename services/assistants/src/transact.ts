import { isLockTimeout } from '@parley/kit/db';
import type { ChangedBy } from '@parley/kit/http';
import type { Idempotency } from '@parley/kit/idempotency';
import type { Outbox } from '@parley/kit/outbox';
import { concurrentChange } from './assistants/concurrent-change.ts';
import type { Prisma } from './generated/prisma/client.ts';

/** A transaction of this service's database. */
export type Tx = Prisma.TransactionClient;

/** Runs in one transaction; messages that were enqueued in it are published after the commit. */
export type Transact = <R>(work: (tx: Tx) => Promise<R>) => Promise<R>;

/** The context of a request that creates something. */
export type CreateRequest = {
  workspaceId: string;
  requestId: string;
  by: ChangedBy;
  idempotency: Idempotency;
};

/** Transactions with an outbox. Waiting for a row lock is limited to 2 s, because all changes of an assistant lock its row. */
export function createTransact(outbox: Outbox<Tx>): Transact {
  return async (work) => {
    try {
      return await outbox.transaction(async (tx) => {
        await tx.$executeRaw`SET LOCAL lock_timeout = '2s'`;
        return work(tx);
      });
    } catch (err) {
      throw isLockTimeout(err) ? concurrentChange(err) : err;
    }
  };
}
