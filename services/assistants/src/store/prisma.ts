import { createPrismaAdapter } from '@parley/kit/db';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { PrismaClient } from '../generated/prisma/client.ts';

export function connectPrisma(
  { databaseUrl, pool }: { databaseUrl: string; pool: number },
  lifecycle: Lifecycle,
  log: Log,
): PrismaClient {
  const adapter = createPrismaAdapter({ databaseUrl, pool, applicationName: 'parley-assistants', log });
  const prisma = new PrismaClient({ adapter });
  lifecycle.onStop('database', () => prisma.$disconnect());
  return prisma;
}
