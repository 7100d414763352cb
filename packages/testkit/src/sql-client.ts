import {
  type SqlClient as KitSqlClient,
  pgSqlClient,
  pgTransaction,
  type Statement,
  sql,
} from '@parley/kit/db';
import { Pool } from 'pg';

/** Runs SQL as the raw queries of a Prisma client do: as a tag, whose values are parameters, or with a statement of kit's `sql`. */
type TestSql = {
  $queryRaw<T = unknown>(query: Statement | TemplateStringsArray, ...values: unknown[]): Promise<T>;
  $executeRaw(query: Statement | TemplateStringsArray, ...values: unknown[]): Promise<number>;
};

/** The part of a Prisma client that kit and tests use, over pg alone. */
export type SqlClient = TestSql & {
  $transaction<R>(work: (tx: TestSql) => Promise<R>): Promise<R>;
  close(): Promise<void>;
};

/** Opens a small pool. Lost connections fail the statement that needs them and nothing else. */
export function sqlClient(url: string, { max = 5 }: { max?: number } = {}): SqlClient {
  const pool = new Pool({ connectionString: url, max });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return {
    ...withTags(pgSqlClient(pool)),
    $transaction: (work) => pgTransaction(pool, (tx) => work(withTags(tx))),
    close: () => pool.end(),
  };
}

function withTags(client: KitSqlClient): TestSql {
  const toStatement = (query: Statement | TemplateStringsArray, values: unknown[]): Statement =>
    'strings' in query ? query : sql(query, ...(values as Statement['values']));
  return {
    $queryRaw: <T>(query: Statement | TemplateStringsArray, ...values: unknown[]) =>
      client.$queryRaw<T>(toStatement(query, values)),
    $executeRaw: (query: Statement | TemplateStringsArray, ...values: unknown[]) =>
      client.$executeRaw(toStatement(query, values)),
  };
}
