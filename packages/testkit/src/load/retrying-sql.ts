import { setTimeout as sleep } from 'node:timers/promises';
import { isConnectivityError } from '@parley/kit/errors';
import { type SqlClient, sqlClient } from '../sql-client.ts';

const GIVES_UP_MS = 60_000;
const PAUSE_MS = 200;

/** SQL for benchmarks: retries while other processes use all connections. */
export function retryingSql(url: string): SqlClient {
  const sql = sqlClient(url);
  const withRetries = async <T>(run: () => Promise<T>): Promise<T> => {
    const givesUpAt = performance.now() + GIVES_UP_MS;
    for (;;) {
      try {
        return await run();
      } catch (err) {
        if (!isConnectivityError(err) || performance.now() > givesUpAt) throw err;
        await sleep(PAUSE_MS);
      }
    }
  };
  return {
    ...sql,
    $queryRaw: (query, ...values) => withRetries(() => sql.$queryRaw(query, ...values)),
    $executeRaw: (query, ...values) => withRetries(() => sql.$executeRaw(query, ...values)),
  };
}
