import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../processes/is-alive.ts';
import { runProgram } from '../processes/run-program.ts';
import { Problem } from '../terminal/problem.ts';
import type { PrivateSetting } from './private-server.ts';
import type { User } from './unprivileged-user.ts';

/** A file system in memory, on Linux. */
const IN_MEMORY = '/dev/shm';
/** What a run of all tests uses of it, and what it must leave free of the memory of the machine, or of the container. */
const NEEDED_BYTES = 2 * 1024 ** 3;

/** Postgres refuses to run as root, and the user that it runs as instead has no access to root's home. */
export async function reachableFolder(
  setting: PrivateSetting,
  user: User,
  neededBytes = NEEDED_BYTES,
): Promise<string> {
  const { folder, name } = setting;
  for (const candidate of [...foldersInMemory(setting, neededBytes), folder, join('/var/tmp', name)]) {
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
function foldersInMemory({ name, inMemory = false }: PrivateSetting, neededBytes: number): string[] {
  return inMemory && hasRoom(neededBytes) ? [join(IN_MEMORY, name)] : [];
}

function hasRoom(neededBytes: number): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= neededBytes && process.availableMemory() >= 2 * neededBytes;
  } catch {
    return false;
  }
}

/** Removes the folders in memory that are named `<prefix>-<pid>` after a process that is gone: its run was killed. */
export function removeFromMemory(prefix: string): void {
  if (!existsSync(IN_MEMORY)) return;
  for (const name of readdirSync(IN_MEMORY)) {
    const pid = name.startsWith(`${prefix}-`) ? name.slice(prefix.length + 1) : '';
    if (/^\d+$/.test(pid) && !isAlive(Number(pid)))
      rmSync(join(IN_MEMORY, name), { recursive: true, force: true });
  }
}

/** Makes the user the owner of a file or folder. */
export function give(path: string, { uid, gid }: User): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}
