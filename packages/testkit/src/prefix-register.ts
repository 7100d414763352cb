import { mkdirSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// A broker can't list its queues over AMQP, and quorum queues of test runs that were killed would use up its
// file descriptors in the end. So each prefix has a file, named after it, that holds the process it belongs to.

const FOLDER = join(tmpdir(), 'parley-test-prefixes');

export function register(prefix: string): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, prefix), String(process.pid));
}

export async function unregister(prefix: string): Promise<void> {
  await rm(join(FOLDER, prefix), { force: true });
}

/** Prefixes of processes that are gone. */
export async function leftBehindPrefixes(): Promise<string[]> {
  const prefixes = await readdir(FOLDER).catch(() => []);
  const owners = await Promise.all(prefixes.map((prefix) => ownerOf(prefix)));
  return prefixes.filter((_, index) => !isAlive(owners[index]));
}

async function ownerOf(prefix: string): Promise<number> {
  return Number(await readFile(join(FOLDER, prefix), 'utf8').catch(() => Number.NaN));
}

function isAlive(pid: number | undefined): boolean {
  // Read while it was being written or removed: somebody is at it.
  if (!pid) return true;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
