import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';

const CLONE = 'parley_test_';
/** Longer than any test file runs: older databases are left over from a crashed run. */
const LEFT_BEHIND_SECONDS = 3_600;

/** A name with the time of its creation. */
export function cloneName(): string {
  return `${CLONE}${nowSeconds()}_${randomBytes(6).toString('hex')}`;
}

export async function leftBehindClones(admin: Client): Promise<string[]> {
  const clones = await databasesLike(admin, CLONE);
  return clones.filter((name) => nowSeconds() - Number(name.split('_')[2]) > LEFT_BEHIND_SECONDS);
}

export async function databasesLike(admin: Client, prefix: string): Promise<string[]> {
  const { rows } = await admin.query<{ datname: string }>(
    'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
    [prefix],
  );
  return rows.map(({ datname }) => datname);
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
