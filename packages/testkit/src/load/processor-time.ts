import { readFile } from 'node:fs/promises';
import type { SqlClient } from '../sql-client.ts';

/** Of a second; what `/proc` counts in. */
const TICK_MS = 10;

/** Milliseconds of processor time that a process has taken so far; 0 where there is no `/proc`. */
export async function processorMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name, in parentheses, may have blanks in it.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return stat === '' ? 0 : (Number(user) + Number(system)) * TICK_MS;
}

/** The same of the connections that a service keeps to this database, where Postgres is on this machine. */
export async function postgresMs(sql: SqlClient): Promise<number> {
  const rows = await sql.$queryRawUnsafe<{ pid: number }[]>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name <> ''`,
  );
  const each = await Promise.all(rows.map(({ pid }) => processorMs(pid)));
  return each.reduce((sum, ms) => sum + ms, 0);
}
