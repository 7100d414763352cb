import { Client, escapeIdentifier } from 'pg';
import { databaseUrl } from './addresses.ts';

/** Runs `work` with a connection to the database of `DATABASE_URL`, from which others are created. */
export async function withAdmin<T>(work: (admin: Client) => Promise<T>): Promise<T> {
  const admin = new Client({ connectionString: databaseUrl() });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

/** The URL of another database on the same server. */
export function urlOf(database: string): string {
  const url = new URL(databaseUrl());
  url.pathname = `/${database}`;
  return url.href;
}

export async function dropDatabase(admin: Client, name: string): Promise<void> {
  await admin.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(name)} WITH (FORCE)`);
}
