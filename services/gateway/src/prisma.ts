import { transaction } from '@parley/kit/db';
import type { Prisma, PrismaClient } from './generated/prisma/client.ts';

export type { PrismaClient };
export type Tx = Prisma.TransactionClient;

/** `work` runs again after a deadlock: no effects except on `tx`. */
export function inTransaction<R>(prisma: PrismaClient, work: (tx: Tx) => Promise<R>): Promise<R> {
  return transaction<Tx, R>(prisma, work);
}
