import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ServiceName } from '@parley/contracts';
import { migrate } from '@parley/kit/migrations';
import { Client, escapeIdentifier } from 'pg';
import { dropDatabase, urlOf, withAdmin } from './admin-connection.ts';
import { cloneName, leftBehindClones } from './database-names.ts';
import { keepVacuumed } from './keep-vacuumed.ts';
import { ensureTemplate, outdatedTemplates, type Template } from './template-database.ts';

export type TestDatabase = {
  url: string;
  /** Closes its connections and drops it. */
  drop(): Promise<void>;
};

/**
 * A migrated database for one test file: a clone of a template. `durable`: commits wait for the disk and busy tables are vacuumed, as in
 * production, for benchmarks and for tests that kill the server.
 */
export function testDatabase(service: ServiceName, { durable = false } = {}): Promise<TestDatabase> {
  const dir = fileURLToPath(new URL(`../../../services/${service}/prisma/migrations`, import.meta.url));
  const build = async (databaseUrl: string) => void (await migrate({ databaseUrl, dir }));
  return cloneOf({ kind: service, sources: [dir], build }, durable);
}

/** A database with the tables of the given files of `packages/kit/sql` (`outbox`, `inbox`). */
export function kitDatabase(...tables: string[]): Promise<TestDatabase> {
  const files = tables.map((table) => fileURLToPath(new URL(`../../kit/sql/${table}.sql`, import.meta.url)));
  return cloneOf({ kind: `kit_${tables.join('_')}`, sources: files, build: (url) => execute(url, files) });
}

async function cloneOf(template: Template, durable = false): Promise<TestDatabase> {
  const name = cloneName();
  await withAdmin(async (admin) => {
    await sweep(admin);
    const source = await ensureTemplate(admin, template);
    const strategy = await quickStrategy(admin);
    await admin.query(
      `CREATE DATABASE ${escapeIdentifier(name)} TEMPLATE ${escapeIdentifier(source)} ${strategy}`,
    );
    // Tests don't need commits to wait for the disk.
    if (!durable) await admin.query(`ALTER DATABASE ${escapeIdentifier(name)} SET synchronous_commit = off`);
  });
  const url = urlOf(name);
  const stopVacuum = durable ? await keepVacuumed(url) : async () => {};
  return {
    url,
    drop: async () => {
      await stopVacuum();
      await withAdmin((admin) => dropDatabase(admin, name));
    },
  };
}

/**
 * Copying files takes a quarter of the processor time of copying pages by way of the log (creation and removal together), but makes a server that is durable
 * write all of its files to the disk.
 */
async function quickStrategy(admin: Client): Promise<string> {
  const { rows } = await admin.query<{ quick: boolean }>(
    `SELECT current_setting('fsync') = 'off' AND current_setting('server_version_num')::int >= 150000 AS quick`,
  );
  return rows[0]?.quick ? 'STRATEGY FILE_COPY' : '';
}

async function sweep(admin: Client): Promise<void> {
  for (const name of [...(await leftBehindClones(admin)), ...(await outdatedTemplates(admin))]) {
    // Another worker may drop the same one.
    await dropDatabase(admin, name).catch(() => {});
  }
}

async function execute(url: string, files: string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const file of files) await client.query(await readFile(file, 'utf8'));
  } finally {
    await client.end();
  }
}
