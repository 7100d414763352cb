import { createPrismaAdapter, transaction } from '@parley/kit/db';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { type Prisma, PrismaClient } from './generated/prisma/client.ts';

export type { PrismaClient };
export type Tx = Prisma.TransactionClient;

export function connectPrisma(
  connection: { databaseUrl: string; pool: number; readTimeoutMs?: number },
  lifecycle: Lifecycle,
  log: Log,
): PrismaClient {
  const adapter = createPrismaAdapter({ ...connection, applicationName: 'parley-gateway', log });
  const prisma = new PrismaClient({ adapter });
  lifecycle.onStop('database', () => prisma.$disconnect());
  return prisma;
}

/** `work` runs again after a deadlock: no effects except on `tx`. */
export function inTransaction<R>(prisma: PrismaClient, work: (tx: Tx) => Promise<R>): Promise<R> {
  return transaction<Tx, R>(prisma, work);
}
