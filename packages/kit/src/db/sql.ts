/**
 * Raw SQL on a connection or in a transaction: any Prisma client or `tx` fits. What takes `tx: Sql` runs inside the
 * caller's transaction.
 */
export type Sql = {
  $queryRawUnsafe<T = unknown>(sql: string, ...values: unknown[]): Promise<T>;
  $executeRawUnsafe(sql: string, ...values: unknown[]): Promise<number>;
};
