import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A migration in Prisma's layout; `checksum` as Prisma stores it, the SHA-256 of the file in hex. */
export type Migration = { name: string; sql: string; checksum: string };

/** The migrations of a folder (`<14 digits>_<name>/migration.sql`), in the order of their names. */
export async function readMigrations(dir: string): Promise<Migration[]> {
  const entries = await readdir(dir, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return Promise.all(names.sort().map((name) => readMigration(dir, name)));
}

async function readMigration(dir: string, name: string): Promise<Migration> {
  const bytes = await readFile(join(dir, name, 'migration.sql')).catch((cause: unknown) => {
    throw new Error(`Migration "${name}" has no readable migration.sql`, { cause });
  });
  return { name, sql: bytes.toString('utf8'), checksum: createHash('sha256').update(bytes).digest('hex') };
}
