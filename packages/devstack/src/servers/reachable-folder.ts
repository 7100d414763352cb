import { chmodSync, chownSync, mkdirSync, readdirSync, rmdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../processes/run-program.ts';
import { Problem } from '../terminal/problem.ts';
import type { PrivateSetting } from './private-server.ts';
import type { User } from './unprivileged-user.ts';

/** A file system in memory, on Linux. */
const IN_MEMORY = '/dev/shm';
/** What a run of all tests uses of it, and what it must leave free of the machine's memory. */
const NEEDED_BYTES = 2 * 1024 ** 3;

/** Postgres refuses to run as root, and the user that it runs as instead has no access to root's home. */
export async function reachableFolder(setting: PrivateSetting, user: User): Promise<string> {
  const { folder, name } = setting;
  for (const candidate of [...foldersInMemory(setting), folder, join('/var/tmp', name)]) {
    mkdirSync(candidate, { recursive: true, mode: 0o700 });
    if (user.uid === undefined) return candidate;
    give(candidate, user);
    chmodSync(candidate, 0o700);
    if ((await runProgram('ls', [candidate], { ...user, cwd: '/' })).ok) return candidate;
    if (readdirSync(candidate).length === 0) rmdirSync(candidate);
  }
  throw new Problem(
    `Postgres can't run as root, and no folder is accessible to another user (tried ${folder}).`,
  );
}

/**
 * For data that is thrown away: tests create and drop hundreds of databases of a thousand files each, which took more of the processor in the file system
 * than in Postgres.
 */
function foldersInMemory({ name, inMemory = false }: PrivateSetting): string[] {
  return inMemory && hasRoom() ? [join(IN_MEMORY, name)] : [];
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= NEEDED_BYTES && freemem() >= 2 * NEEDED_BYTES;
  } catch {
    return false;
  }
}

/** Removes what a run that was killed has left in memory. */
export function removeFromMemory(name: string): void {
  rmSync(join(IN_MEMORY, name), { recursive: true, force: true });
}

/** Makes the user the owner of a file or folder. */
export function give(path: string, { uid, gid }: User): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}
