import { mkdirSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// AMQP cannot list queues, and quorum queues of killed test runs would use up the broker's file descriptors. So each prefix has a file
// of its name with the id of its process.

const FOLDER = join(tmpdir(), 'parley-test-prefixes');

export function register(prefix: string): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, prefix), String(process.pid));
}

export async function unregister(prefix: string): Promise<void> {
  await rm(join(FOLDER, prefix), { force: true });
}

/** The prefixes of processes that have ended. */
export async function leftBehindPrefixes(): Promise<string[]> {
  const prefixes = await readdir(FOLDER).catch(() => []);
  const owners = await Promise.all(prefixes.map((prefix) => ownerOf(prefix)));
  return prefixes.filter((_, index) => !isAlive(owners[index]));
}

async function ownerOf(prefix: string): Promise<number> {
  return Number(await readFile(join(FOLDER, prefix), 'utf8').catch(() => Number.NaN));
}

function isAlive(pid: number | undefined): boolean {
  // Read while it was being written or removed.
  if (!pid) return true;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
