export { asClientRead, isStatementTimeout, readConnectionsOf } from './client-reads.ts';
export { asClientWrite } from './client-writes.ts';
export {
  isLockTimeout,
  isTransactionConflict,
  isTransactionTimeout,
  uniqueViolation,
} from './database-error.ts';
export {
  createDedicatedConnection,
  type DedicatedConnection,
  type DedicatedConnectionOptions,
} from './dedicated-connection.ts';
export { pgSqlClient, pgTransaction } from './pg-sql-client.ts';
export { createPrismaAdapter, type PrismaAdapter } from './prisma-adapter.ts';
export { type FoundRow, readInSteps, STEP_BYTES, sumInOrder } from './read-in-steps.ts';
export {
  empty,
  join,
  queryRow,
  queryRows,
  raw,
  type SqlClient,
  type Statement,
  sql,
} from './sql.ts';
export { type Transactional, type TransactionOptions, transaction } from './transaction.ts';
