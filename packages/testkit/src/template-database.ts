import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type Client, escapeIdentifier } from 'pg';
import { urlOf } from './admin-connection.ts';
import { cloneName, databasesLike } from './database-names.ts';

export type Template = {
  /** Part of its name, with the hash. */
  kind: string;
  /** Folders and files; any change makes a new template. */
  sources: string[];
  build: (databaseUrl: string) => Promise<void>;
};

/** The name of a template ends with the day of its creation. It is rebuilt after two weeks, so that old ones can be dropped. */
const KEEP_DAYS = 14;
const PREFIX = 'parley_template_';

/**
 * The name of the migrated template, which is built if it doesn't exist: by one worker under an advisory lock, while the others wait. It
 * gets its name when it is complete.
 */
export async function ensureTemplate(admin: Client, { kind, sources, build }: Template): Promise<string> {
  const stem = `${PREFIX}${kind}_${await hashOf(sources)}`;
  await admin.query('SELECT pg_advisory_lock(hashtext($1))', [stem]);
  try {
    const existing = await databasesLike(admin, `${stem}_`);
    const found = existing.find((name) => ageDays(name) < KEEP_DAYS);
    if (found) return found;
    const unfinished = cloneName(); // Dropped like any clone if the build fails.
    await admin.query(`CREATE DATABASE ${escapeIdentifier(unfinished)}`);
    await build(urlOf(unfinished));
    const name = `${stem}_${today()}`;
    await admin.query(`ALTER DATABASE ${escapeIdentifier(unfinished)} RENAME TO ${escapeIdentifier(name)}`);
    return name;
  } finally {
    await admin.query('SELECT pg_advisory_unlock(hashtext($1))', [stem]);
  }
}

/** Templates that are too old for any run. */
export async function outdatedTemplates(admin: Client): Promise<string[]> {
  return (await databasesLike(admin, PREFIX)).filter((name) => ageDays(name) > KEEP_DAYS);
}

function today(): number {
  return Math.floor(Date.now() / 86_400_000);
}

function ageDays(name: string): number {
  return today() - Number(name.split('_').at(-1));
}

async function hashOf(sources: string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const source of sources) {
    for (const path of (await filesOf(source)).sort()) {
      hash.update(relative(source, path)).update(await readFile(path));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

async function filesOf(source: string): Promise<string[]> {
  if (source.endsWith('.sql')) return [source];
  const entries = await readdir(source, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
