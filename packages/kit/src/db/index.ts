export {
  isLockTimeout,
  isTransactionConflict,
  type UniqueViolation,
  uniqueViolation,
} from './database-error.ts';
export {
  createDedicatedConnection,
  type DedicatedConnection,
  type DedicatedConnectionOptions,
} from './dedicated-connection.ts';
export { gather } from './gather.ts';
export { createPrismaAdapter, type PrismaAdapterOptions } from './prisma-adapter.ts';
export type { Sql } from './sql.ts';
export { type Transactional, type TransactionOptions, transaction } from './transaction.ts';
