import { createPrismaAdapter } from '@parley/kit/db';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { type Prisma, PrismaClient } from './generated/prisma/client.ts';

export type { PrismaClient };
/** A transaction of the service's database. */
export type Tx = Prisma.TransactionClient;

export function connectPrisma(
  connection: { databaseUrl: string; pool: number; readTimeoutMs?: number },
  lifecycle: Lifecycle,
  log: Log,
): PrismaClient {
  const adapter = createPrismaAdapter({ ...connection, applicationName: 'parley-telephony', log });
  const prisma = new PrismaClient({ adapter });
  lifecycle.onStop('database', () => prisma.$disconnect());
  return prisma;
}
