import { readFile } from 'node:fs/promises';
import type { SqlClient } from '../sql-client.ts';

/** The unit of `/proc`: ticks of a hundredth of a second. */
const TICK_MS = 10;

/** CPU time of a process so far, in milliseconds; 0 without `/proc`. */
export async function processorMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name, in parentheses, may contain spaces.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return stat === '' ? 0 : (Number(user) + Number(system)) * TICK_MS;
}

/** The same for a service's connections to this database, if Postgres runs on this machine. */
export async function postgresMs(sql: SqlClient): Promise<number> {
  const rows = await sql.$queryRaw<{ pid: number }[]>`
    SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name <> ''`;
  const each = await Promise.all(rows.map(({ pid }) => processorMs(pid)));
  return each.reduce((sum, ms) => sum + ms, 0);
}
