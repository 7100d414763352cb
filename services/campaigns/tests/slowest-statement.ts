import { setTimeout as sleep } from 'node:timers/promises';
import type { SqlClient } from '@parley/testkit';

/** Asks the database for nothing, again and again, until it is stopped; gives how long the slowest answer took. */
export function slowestStatement(sql: SqlClient): { stop(): Promise<number> } {
  let isStopped = false;
  let slowestMs = 0;
  const watching = (async () => {
    while (!isStopped) {
      const before = performance.now();
      await sql.$queryRawUnsafe('SELECT 1');
      slowestMs = Math.max(slowestMs, performance.now() - before);
      await sleep(20);
    }
  })();
  return {
    stop: async () => {
      isStopped = true;
      await watching;
      return slowestMs;
    },
  };
}
