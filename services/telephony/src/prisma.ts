import type { Prisma, PrismaClient } from './generated/prisma/client.ts';

export type { PrismaClient };
/** A transaction of the service's database. */
export type Tx = Prisma.TransactionClient;
